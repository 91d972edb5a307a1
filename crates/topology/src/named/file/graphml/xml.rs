//! XML as elements within elements.

use crate::named::file::listing::wrong;
use flitwork_schema::{FileMistake, Span, shown};
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// The most elements around one, and the most attributes of one.
const MOST_AROUND: usize = 64;
const MOST_ATTRIBUTES: usize = 64;

/// A text that is read element by element.
pub(super) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    /// The names of the elements that are open.
    open: Vec<String>,
}

/// An element's tag.
pub(super) struct Element {
    /// Without a prefix.
    pub(super) name: String,
    pub(super) at: Span,
    attributes: Vec<(String, String)>,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let mut all = self.attributes.iter();
        all.find_map(|(other, value)| (other == name).then_some(value.as_str()))
    }

    /// An attribute that must be given.
    pub(super) fn needed(&self, name: &str) -> Result<&str, FileMistake> {
        self.attribute(name).ok_or_else(|| {
            let found = format!("<{}> without {name}", shown(&self.name));
            let allowed = format!("<{} {name}=\"…\">", shown(&self.name));
            wrong(self.at.clone(), found, allowed)
        })
    }
}

/// What comes next within an element.
enum Next {
    Opens(Element),
    Text(String),
    Closes,
}

impl<'a> Xml<'a> {
    pub(super) fn new(text: &'a str) -> Xml<'a> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Xml {
            reader,
            text,
            open: Vec::new(),
        }
    }

    /// Opens the next element within the innermost one that is open; closes that if there is none. Around all there is the document.
    pub(super) fn child(&mut self) -> Result<Option<Element>, FileMistake> {
        loop {
            match self.next()? {
                Next::Opens(element) => return Ok(Some(element)),
                Next::Text(_) => {}
                Next::Closes => return Ok(None),
            }
        }
    }

    /// Closes the innermost element.
    pub(super) fn skip(&mut self) -> Result<(), FileMistake> {
        self.content().map(|_| ())
    }

    /// The text of the innermost element, but for that of elements within it, without spaces at its ends; closes it.
    pub(super) fn content(&mut self) -> Result<String, FileMistake> {
        let (mut content, around) = (String::new(), self.open.len());
        loop {
            match self.next()? {
                Next::Text(text) if self.open.len() == around => content += &text,
                Next::Closes if self.open.len() < around => return Ok(content.trim().to_owned()),
                _ => {}
            }
        }
    }

    fn next(&mut self) -> Result<Next, FileMistake> {
        loop {
            let begin = self.reader.buffer_position();
            let event = self.reader.read_event();
            let at = self.place(begin, self.reader.buffer_position());
            match event {
                Err(error) => {
                    let begin = self.reader.error_position();
                    let at = self.place(begin, begin);
                    return Err(wrong(at, format!("isn't XML: {error}"), "well-formed XML"));
                }
                Ok(Event::Start(tag)) => return self.opened(&tag, at).map(Next::Opens),
                Ok(Event::End(_)) => {
                    self.open.pop();
                    return Ok(Next::Closes);
                }
                Ok(Event::Text(text)) => return Ok(Next::Text(text.xml10_content().into_owned())),
                Ok(Event::CData(text)) => return Ok(Next::Text(text.xml10_content().into_owned())),
                Ok(Event::GeneralRef(name)) => return resolved(&name, at).map(Next::Text),
                Ok(Event::Eof) => {
                    return match self.open.last() {
                        None => Ok(Next::Closes),
                        Some(name) => {
                            let found = format!("the file ends within <{}>", shown(name));
                            Err(wrong(at, found, "an end tag for each element"))
                        }
                    };
                }
                Ok(_) => {}
            }
        }
    }

    fn opened(&mut self, tag: &BytesStart<'_>, at: Span) -> Result<Element, FileMistake> {
        let name = tag.local_name().as_ref().to_owned();
        if self.open.len() == MOST_AROUND {
            let found = format!("<{}> within {MOST_AROUND} elements", shown(&name));
            return Err(wrong(at, found, "fewer elements around one another"));
        }
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let value = attribute.map_err(quick_xml::Error::from);
            let value =
                value.and_then(|it| Ok((it.key, it.normalized_value(XmlVersion::Implicit1_0)?)));
            let (key, value) = value.map_err(|error| {
                let found = format!("isn't XML: {error}");
                wrong(at.clone(), found, "attributes as name=\"value\"")
            })?;
            if attributes.len() == MOST_ATTRIBUTES {
                let found = format!(
                    "more than {MOST_ATTRIBUTES} attributes in <{}>",
                    shown(&name)
                );
                return Err(wrong(at, found, format!("at most {MOST_ATTRIBUTES}")));
            }
            attributes.push((key.as_ref().to_owned(), value.into_owned()));
        }
        self.open.push(name.clone());
        Ok(Element {
            name,
            at,
            attributes,
        })
    }

    /// Places in bytes, within the text and between its characters.
    fn place(&self, begin: u64, end: u64) -> Span {
        let within = |at: u64| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            self.text.floor_char_boundary(at)
        };
        within(begin)..within(end).max(within(begin))
    }
}

/// The character that a reference names.
fn resolved(name: &BytesRef<'_>, at: Span) -> Result<String, FileMistake> {
    let by_number = name.resolve_char_ref().ok().flatten();
    let by_name = || resolve_xml_entity(name).map(str::to_owned);
    by_number.map(String::from).or_else(by_name).ok_or_else(|| {
        let found = format!("`&{};`", shown(name));
        wrong(
            at,
            found,
            "&lt; &gt; &amp; &apos; &quot; and characters by number",
        )
    })
}
