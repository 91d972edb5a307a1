//! Pairs of paths of which one would be lost.

use super::{Filled, Named, Role};
use flitwork_files::{Inputs, Place};
use std::path::Path;

/// A path and where it leads.
struct At<'a> {
    named: &'a Named,
    place: Place,
}

/// What is wrong with the first pair that clashes.
pub(super) fn first(named: &[Named], inputs: &Inputs) -> Option<String> {
    let at = |named| At {
        named,
        place: Place::of(&named.path),
    };
    // Pipes and devices hold nothing that could be lost.
    let all: Vec<At<'_>> = named
        .iter()
        .map(at)
        .filter(|at| !at.place.is_special())
        .collect();
    let files = inputs.all();
    let files: Vec<(Place, &Path)> = files
        .iter()
        .map(|path| (Place::of(path), &**path))
        .collect();
    for (number, one) in all.iter().enumerate() {
        let mut others = all[..number].iter();
        let clash = others.find_map(|other| both(other, one).or_else(|| both(one, other)));
        let of_input = || {
            let mut files = files.iter();
            files.find_map(|(place, path)| {
                with_input(
                    one,
                    place,
                    &format!("the configuration's {}", path.display()),
                )
            })
        };
        if let Some(clash) = clash.or_else(of_input) {
            return Some(clash);
        }
    }
    None
}

/// What is wrong with two paths, by the role of the first.
fn both(one: &At<'_>, other: &At<'_>) -> Option<String> {
    let (shown, others) = (one.named.shown(), other.named.shown());
    match (&one.named.role, &other.named.role) {
        (_, Role::Read) => with_input(one, &other.place, &others),
        (Role::Written, Role::Written) if one.place.is(&other.place) => Some(format!(
            "{shown} and {others} are the same file\n  allowed: a separate file for each"
        )),
        (Role::Written, Role::Folder(_, owns)) if owned(&other.place, owns, &one.place) => {
            let name = one.place.path().file_name().unwrap_or_default().display();
            Some(format!(
                "{shown}: {others} may write {name} there\n  allowed: a file of another name, or in another folder"
            ))
        }
        (Role::Written, Role::Folder(..)) if one.place.is(&other.place) => Some(format!(
            "{shown} and {others} are the same path\n  allowed: a separate path for each"
        )),
        (Role::Written, Role::Written | Role::Folder(..)) if other.place.lies_below(&one.place) => {
            Some(format!(
                "{others} lies in {shown}, which is a file\n  allowed: a file of another name"
            ))
        }
        (Role::Written, Role::ReadFolder)
            if one.place.path().parent() == Some(other.place.path()) =>
        {
            Some(format!(
                "{shown} lies in {others}, whose files are read\n  allowed: a file in another folder"
            ))
        }
        _ => None,
    }
}

/// What is wrong with an output that is an input.
fn with_input(output: &At<'_>, input: &Place, named: &str) -> Option<String> {
    let shown = output.named.shown();
    match &output.named.role {
        Role::Written if output.place.is(input) => Some(format!(
            "{shown} is {named}, which is read and never overwritten\n  allowed: another file"
        )),
        // What is in an empty folder isn't read.
        Role::Folder(Filled::Forced | Filled::Resumed, owns)
            if owned(&output.place, owns, input) =>
        {
            let name = input.path().file_name().unwrap_or_default().display();
            Some(format!(
                "{shown}: {name} may be written there, and is {named}, which is read and never overwritten\n  \
                 allowed: another folder"
            ))
        }
        _ => None,
    }
}

/// Whether a file is one of those that are written into a folder: by its name, or as the end of a link there.
fn owned(folder: &Place, owns: &dyn Fn(&str) -> bool, file: &Place) -> bool {
    let by_name = folder.name_of(file).is_some_and(owns);
    let own = || flitwork_files::own_files(folder.path(), owns).unwrap_or_default();
    by_name
        || file.is_file()
            && own()
                .iter()
                .any(|name| Place::of(&folder.path().join(name)).is(file))
}

impl Named {
    /// The option and its path.
    fn shown(&self) -> String {
        format!("{} {}", self.label, self.path.display())
    }
}
