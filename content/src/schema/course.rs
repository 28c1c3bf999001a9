//! `course.json`: what the reading map and the contents need at every start.

use serde::{Deserialize, Serialize};

use super::{Html, is_empty};

/// The course: its layers, its parts and chapters in order, and the four-week plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Course {
    /// The five layers of understanding.
    pub layers: Vec<Layer>,
    /// The parts, in the order in which they are read.
    pub parts: Vec<Part>,
    /// The four-week plan.
    pub plan: Vec<Week>,
    /// What the reading lists leave out, and where it is instead.
    pub not_covered: Vec<NotCovered>,
}

impl Course {
    /// Every chapter, in order.
    pub fn chapters(&self) -> impl Iterator<Item = &Chapter> {
        self.parts.iter().flat_map(|part| &part.chapters)
    }

    /// The chapter with this slug.
    pub fn chapter(&self, slug: &str) -> Option<&Chapter> {
        self.chapters().find(|c| c.slug == slug)
    }
}

/// A layer of understanding.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Layer {
    /// 1 to 5.
    pub id: u8,
    /// Its name.
    pub title: String,
    /// The question it answers.
    pub question: String,
}

/// A part of the course: a few chapters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Part {
    /// Its stable id.
    pub id: String,
    /// Its name.
    pub title: String,
    /// Its chapters, in order.
    pub chapters: Vec<Chapter>,
}

/// A chapter as the map knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Chapter {
    /// Its stable id, in `chapter/<slug>/`.
    pub slug: String,
    /// Its number, 0 to 25.
    pub number: u32,
    /// Its name.
    pub title: String,
    /// The question with which it opens.
    pub question: String,
    /// Whether it can be read yet.
    pub status: Status,
    /// The layers it belongs to.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub layers: Vec<u8>,
    /// The weeks of the plan in which it is read.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub weeks: Vec<u8>,
    /// The widgets in it.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub widgets: Vec<String>,
    /// How long it takes.
    pub minutes: u32,
    /// What a learner must be able to do after it.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub skills: Vec<Skill>,
    /// Its sections, once it is written: those that progress counts.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub sections: Vec<Extent>,
}

impl Chapter {
    /// Where it is read, relative to the site's base: its page, or its place on the map until it has one.
    pub fn href(&self) -> String {
        match self.status {
            Status::Written => format!("chapter/{}/", self.slug),
            Status::Planned => format!("./#{}", self.slug),
        }
    }
}

/// A section of a chapter, and how long it takes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Extent {
    /// The id of its heading.
    pub id: String,
    /// How long its text takes, in seconds.
    pub seconds: u32,
    /// How long the exercises that stand in it take, in seconds.
    pub exercises: u32,
    /// Whether it is an aside, which a learner may leave out.
    #[serde(default)]
    pub aside: bool,
}

impl Chapter {
    /// The sections that make it read: all but asides.
    pub fn required(&self) -> impl Iterator<Item = &Extent> {
        self.sections.iter().filter(|section| !section.aside)
    }
}

impl Extent {
    /// How many minutes it takes with its exercises; at least one.
    pub fn minutes(&self) -> u32 {
        self.seconds.saturating_add(self.exercises).div_ceil(60).max(1)
    }
}

/// Whether a chapter can be read yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It has a page.
    Written,
    /// It has sources to read and no page yet.
    #[default]
    Planned,
}

/// Something a learner can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Skill {
    /// Its stable id, `<chapter>.<name>`.
    pub id: String,
    /// What it is: a sentence.
    pub text: Html,
}

/// A week of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Week {
    /// 1 to 4.
    pub number: u8,
    /// Its name.
    pub title: String,
    /// What is reached at its end.
    pub goal: Html,
    /// Its blocks of days.
    pub blocks: Vec<Block>,
}

/// A few days of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Block {
    /// First and last day, counted from 1 over the whole plan.
    pub days: [u32; 2],
    /// What is studied.
    pub title: String,
    /// The idea to take away.
    pub concept: Html,
    /// Slugs of chapters.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub chapters: Vec<String>,
    /// Ids of sources.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub sources: Vec<String>,
}

/// A topic that a reading list leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NotCovered {
    /// The topic.
    pub topic: Html,
    /// Where it is instead.
    #[serde(rename = "where")]
    pub place: Html,
}
