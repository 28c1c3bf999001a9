//! What a decision's figure has and the learner cannot change.

use super::Mission;
use crate::expr::continues_name;

/// A parameter that is set, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locked {
    /// The widget's parameter.
    pub name: String,
    /// The earlier decision that it follows from, counted from 0; nothing where the brief sets it.
    pub by: Option<usize>,
}

impl Mission {
    /// What is set in the figure of a decision, counted from 0, and listed.
    pub fn locked(&self, decision: usize) -> Vec<Locked> {
        let Some(this) = self.decision.get(decision) else { return Vec::new() };
        let earlier = self.decision.get(..decision).unwrap_or_default();
        let given = this.given.iter().filter(|(name, _)| !this.free.contains(name) && !this.unlisted.contains(name));
        given
            .map(|(name, value)| {
                let text = value.as_str();
                let names = if text.starts_with(['=', '@', '?']) { text } else { "" };
                let by = earlier.iter().rposition(|of| names.split(|c| !continues_name(c)).any(|n| begins(n, &of.id)));
                Locked { name: name.clone(), by }
            })
            .collect()
    }
}

/// Whether a name is that of a decision, or of something that it says.
fn begins(name: &str, id: &str) -> bool {
    name.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::super::Decision;
    use super::*;

    #[test]
    fn what_the_brief_sets_is_told_from_what_was_decided() {
        let decision = |id: &str| Decision { id: id.into(), ..Decision::default() };
        let mut last = decision("batch");
        last.free = vec!["mbs".into()];
        last.unlisted = vec!["seed".into()];
        let given = [
            ("gpu", "h100-80"),
            ("mbs", "1"),
            ("seed", "500"),
            ("price", "=price"),
            ("tp", "=2 * layout_tp"),
            ("zero", "@stage"),
            ("dp", "?layout_pp:1,stage_zero_3:2,3"),
        ];
        last.given = given.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        let mission = Mission { decision: vec![decision("layout"), decision("stage"), last], ..Mission::default() };
        let locked = mission.locked(2);
        let by = |name: &str| locked.iter().find(|one| one.name == name).map(|one| one.by);
        assert_eq!((by("gpu"), by("price"), by("mbs"), by("seed")), (Some(None), Some(None), None, None));
        assert_eq!((by("tp"), by("zero"), by("dp")), (Some(Some(0)), Some(Some(1)), Some(Some(1))));
        assert_eq!(mission.locked(9), []);
    }
}
