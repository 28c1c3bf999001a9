//! A page of the site as a SCORM package: a chapter, a quiz or a mission that a learning platform lists, opens and marks.
//!
//! The package holds a launcher. It opens the page in a tab of its own, hears from it how far the learner is, and passes that
//! on: score, completion, and what is needed to go on elsewhere, unless that is longer than the standard allows. A tab of its own
//! has the learner's own store, which a frame within another site has not in most browsers. `ringside_app::shell::lms` is the page's side.

use super::File;
use super::markup::escaped;

/// A version of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// SCORM 1.2.
    V12,
    /// SCORM 2004, 4th edition.
    V2004,
}

impl Version {
    /// Both.
    pub const ALL: [Self; 2] = [Self::V12, Self::V2004];

    /// For links and files: `scorm12`.
    pub fn id(self) -> &'static str {
        match self {
            Self::V12 => "scorm12",
            Self::V2004 => "scorm2004",
        }
    }

    /// For a list to choose from.
    pub fn label(self) -> &'static str {
        match self {
            Self::V12 => "SCORM 1.2 package",
            Self::V2004 => "SCORM 2004 package",
        }
    }

    /// The most characters of `cmi.suspend_data`.
    fn most_suspended(self) -> usize {
        match self {
            Self::V12 => 4096,
            Self::V2004 => 64_000,
        }
    }
}

/// The page that a platform opens.
const LAUNCHER: &str = include_str!("scorm/index.html");
/// Its script.
const SCRIPT: &str = include_str!("scorm/launcher.js");

/// The package of the page at `path` of the site at `site`, which ends in a slash. `title` is what the platform lists.
pub fn package(version: Version, title: &str, site: &str, path: &str) -> Vec<File> {
    let config = serde_json::json!({
        "version": version.id(), "title": title, "site": site, "path": path, "most": version.most_suspended(),
    });
    // In a script element a tag could end it.
    let config = config.to_string().replace('<', "\\u003c");
    let launcher = LAUNCHER.replace("{{title}}", &escaped(title)).replace("{{config}}", &config);
    vec![
        File { path: "imsmanifest.xml".into(), text: manifest(version, &escaped(title)) },
        File { path: "index.html".into(), text: launcher },
        File { path: "launcher.js".into(), text: SCRIPT.into() },
    ]
}

fn manifest(version: Version, title: &str) -> String {
    let (namespaces, schema, kind) = match version {
        Version::V12 => (
            "xmlns=\"http://www.imsproject.org/xsd/imscp_rootv1p1p2\" xmlns:adlcp=\"http://www.adlnet.org/xsd/adlcp_rootv1p2\"",
            "1.2",
            "adlcp:scormtype",
        ),
        Version::V2004 => (
            "xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\" xmlns:adlcp=\"http://www.adlnet.org/xsd/adlcp_v1p3\"",
            "2004 4th Edition",
            "adlcp:scormType",
        ),
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<manifest identifier=\"ringside\" version=\"1\" {namespaces}>\n<metadata><schema>ADL SCORM\
         </schema><schemaversion>{schema}</schemaversion></metadata>\n<organizations default=\"organization\">\n<organization \
         identifier=\"organization\"><title>{title}</title>\n<item identifier=\"item\" identifierref=\"page\"><title>{title}</title></item>\n\
         </organization>\n</organizations>\n<resources>\n<resource identifier=\"page\" type=\"webcontent\" {kind}=\"sco\" \
         href=\"index.html\"><file href=\"index.html\"/><file href=\"launcher.js\"/></resource>\n</resources>\n</manifest>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_breaks_neither_page_nor_manifest() {
        for version in Version::ALL {
            let files = package(version, "</script><b> & \"x\"", "https://example.org/", "chapter/a/");
            let of = |path: &str| files.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str());
            assert!(of("imsmanifest.xml").contains("<title>&lt;/script&gt;&lt;b&gt; &amp; &quot;x&quot;</title>"));
            let page = of("index.html");
            assert_eq!(page.matches("</script>").count(), 2, "{page}");
            assert!(page.contains("\\u003c/script>") && !page.contains("{{"));
            assert!(of("launcher.js").contains(version.id()), "the script knows {}", version.id());
        }
    }
}
