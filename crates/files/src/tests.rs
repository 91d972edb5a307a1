use crate::{NewFile, WriteError, clear, own_files, prepare_file, prepare_folder, replace, write};
use std::fs;
use std::io::Write;
use std::path::Path;

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_the_old_one_until_the_new_one_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    write(&path, b"old").unwrap();
    let mut file = NewFile::create(&path).unwrap();
    file.write_all(&[b'n'; 100_000]).unwrap();
    file.flush().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    drop(file);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    let broken_off: Result<(), WriteError> = replace(&path, |file| {
        file.write_all(b"half").unwrap();
        Err(WriteError::writing(&path)(std::io::Error::other("cut")))
    });
    assert!(broken_off.unwrap_err().is_failure());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a"]);
    write(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), ["a"]);
}

#[cfg(unix)]
#[test]
fn everybody_may_read_a_new_file_and_an_old_one_keeps_its_rights() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (usual, new) = (folder.path().join("usual"), folder.path().join("new"));
    fs::write(&usual, b"").unwrap();
    write(&new, b"").unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
    assert_eq!(mode(&usual), mode(&new));
    fs::set_permissions(&usual, fs::Permissions::from_mode(0o640)).unwrap();
    write(&usual, b"again").unwrap();
    assert_eq!(mode(&usual) & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_its_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, b"old").unwrap();
    std::os::unix::fs::symlink("file", &link).unwrap();
    write(&link, b"new").unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read(&file).unwrap(), b"new");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_not_a_regular_file_is_written_directly_and_reports_a_full_disk() {
    let full = Path::new("/dev/full");
    prepare_file(full).unwrap();
    for bytes in [1, 100_000] {
        let error = write(full, &vec![0; bytes]).unwrap_err();
        assert!(error.is_failure(), "{error}");
    }
    write(Path::new("/dev/null"), b"gone").unwrap();
}

#[test]
fn what_cannot_be_created_is_reported_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"kept").unwrap();
    let long = folder.path().join("n".repeat(300));
    for path in [folder.path(), &file.join("below"), &long] {
        let error = prepare_file(path).unwrap_err();
        assert!(!error.is_failure(), "{error}");
        assert_eq!(error.path(), path);
    }
    for path in [&file, &file.join("below")] {
        assert!(!prepare_folder(path).unwrap_err().is_failure());
    }
    prepare_file(&file).unwrap();
    prepare_file(&folder.path().join("x/y")).unwrap();
    prepare_folder(&folder.path().join("z")).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"kept");
    assert_eq!(names(folder.path()), ["file", "x", "z"]);
    assert!(names(&folder.path().join("x")).is_empty());
    assert!(names(&folder.path().join("z")).is_empty());
}

#[test]
fn only_the_callers_own_files_are_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // Not temporary: the name of such a file has six letters or digits before `.new`.
    let hidden = [".a.csv.my_old.new", ".b.csv.older.new"];
    for name in ["a.csv", "b.csv", "c.txt", ".new"].iter().chain(&hidden) {
        write(&at(name), b"x").unwrap();
    }
    // As a killed program leaves them.
    for name in ["a.csv", "c.txt"] {
        std::mem::forget(NewFile::create(&at(name)).unwrap());
    }
    let owns = |name: &str| name.ends_with(".csv");
    assert_eq!(own_files(folder.path(), owns).unwrap(), ["a.csv", "b.csv"]);
    assert!(own_files(&at("none"), owns).unwrap().is_empty());
    clear(folder.path(), owns).unwrap();
    let left = names(folder.path());
    assert_eq!(left.len(), 5, "{left:?}");
    assert_eq!(left[..2], hidden);
    assert!(left[2].starts_with(".c.txt."), "{left:?}");
    assert_eq!(left[3..], [".new", "c.txt"]);
}
