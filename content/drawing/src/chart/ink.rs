//! The colours of a chart: names of the page's design tokens, not colours.

macro_rules! inks {
    ($($(#[$doc:meta])* $name:ident = $token:literal, $forced:literal;)*) => {
        /// A colour of the page, by its role.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Ink { $($(#[$doc])* $name,)* }

        impl Ink {
            /// Every one, in the order of a [`Theme`].
            pub const ALL: &[Ink] = &[$(Ink::$name),*];

            /// The custom property of `tokens.css` that has it: `--weights`.
            pub fn token(self) -> &'static str {
                match self { $(Ink::$name => $token,)* }
            }

            /// The system colour that stands for it where colours are forced.
            pub fn forced(self) -> &'static str {
                match self { $(Ink::$name => $forced,)* }
            }
        }
    };
}

inks! {
    /// What is behind the drawing.
    Panel = "--panel", "Canvas";
    /// Text and what it is about.
    Ink = "--ink", "CanvasText";
    /// Numbers and names of axes.
    Soft = "--soft", "CanvasText";
    /// Lines behind the drawing.
    Line = "--line", "GrayText";
    /// What others are compared with.
    Edge = "--edge", "CanvasText";
    /// What can be operated, and what is read.
    Accent = "--accent", "Highlight";
    /// A limit that is passed.
    Warn = "--warn", "CanvasText";
    /// What does not happen.
    Idle = "--idle", "GrayText";
    /// Weights; the first of several.
    Weights = "--weights", "Highlight";
    /// Gradients; the second of several.
    Gradients = "--gradients", "LinkText";
    /// The state of the optimizer; the third of several.
    Optimizer = "--optimizer", "CanvasText";
    /// Activations.
    Activations = "--activations", "LinkText";
    /// Keys and values that are kept.
    Kv = "--kv", "VisitedText";
    /// The forward pass.
    Forward = "--forward", "Highlight";
    /// The backward pass.
    Backward = "--backward", "LinkText";
    /// What goes between GPUs.
    Communication = "--communication", "VisitedText";
    /// Attention of a model; what is lost.
    Attention = "--attention", "VisitedText";
    /// The MLPs of a model.
    Mlp = "--mlp", "Highlight";
    /// The small parts of a model; what waits.
    Small = "--small", "GrayText";
}

/// Red, green and blue.
pub type Rgb = (u8, u8, u8);

/// What the inks are now, in the order of [`Ink::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Theme(pub Vec<Rgb>);

/// Where the site's colours are declared: `--ink: light-dark(#1c1e22, #e6e4de);`.
const TOKENS: &str = include_str!("../../../../app/styles/tokens.css");

/// The colour that a token has on a light page.
fn light(token: &str) -> Option<Rgb> {
    let (_, rest) = TOKENS.split_once(&format!("{token}: light-dark(#"))?;
    let value = u32::from_str_radix(rest.get(..6)?, 16).ok()?;
    let [_, red, green, blue] = value.to_be_bytes();
    Some((red, green, blue))
}

impl Theme {
    /// What the inks are on a light page, for files.
    pub fn light() -> Self {
        Self(Ink::ALL.iter().map(|ink| light(ink.token()).unwrap_or_default()).collect())
    }

    /// An ink; black if the theme has it not.
    pub fn of(&self, ink: Ink) -> Rgb {
        self.0.get(ink as usize).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ink_has_a_color() {
        for ink in Ink::ALL {
            assert!(light(ink.token()).is_some(), "{}", ink.token());
        }
    }
}
