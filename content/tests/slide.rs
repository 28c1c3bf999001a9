//! Text slides of lecture lists.

use ringside_content::slide;

#[test]
fn a_slide_has_headings_lists_formulas_and_nothing_of_its_authors_html() {
    let (html, wrong) =
        slide("# What **we** saw\n\n## Then\n\n- a *first* point\n- $16\\Psi$\n\n<script>alert(1)</script>");
    assert!(wrong.is_empty() || wrong.iter().all(|w| w.contains("HTML")), "{wrong:?}");
    for part in ["<h2>What <strong>we</strong> saw</h2>", "<h3>Then</h3>", "<li>a <em>first</em> point</li>", "<math"] {
        assert!(html.0.contains(part), "{part} in {}", html.0);
    }
    assert!(!html.0.contains("<script"), "{}", html.0);
}

#[test]
fn what_cannot_stand_on_a_slide_is_said() {
    let (html, wrong) = slide("![x](https://example.org/x.png) and [a link](javascript:alert)");
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(!html.0.contains("<img") && !html.0.contains("javascript"), "{}", html.0);
    let (html, wrong) = slide("[whole](https://example.org/)");
    assert!(wrong.is_empty() && html.0.contains("href=\"https://example.org/\""), "{} {wrong:?}", html.0);
}
