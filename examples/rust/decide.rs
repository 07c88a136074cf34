//! The same questions as in ../c/decide.c, from Rust: rustc alone, linked with libsandproof_c.so.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

const ACCEPTED: i32 = 0;
const TOO_SMALL: i32 = 3;
const SCHEME_SEALED: i32 = 0;
const OUTCOME_RAN: i32 = 0;
const DOCUMENT_ANY: i32 = 3;

/// A view of bytes of the caller's, or of an object that the library made.
#[repr(C)]
#[derive(Clone, Copy)]
struct Text {
    data: *const u8,
    size: usize,
}

impl Text {
    const NONE: Text = Text { data: null(), size: 0 };

    fn of(bytes: &[u8]) -> Text {
        Text { data: bytes.as_ptr(), size: bytes.len() }
    }

    /// Safety: what the text is a view of must still be there.
    unsafe fn copied(self) -> String {
        if self.size == 0 {
            return String::new();
        }
        String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(self.data, self.size) }).into()
    }
}

#[repr(C)]
struct Buffer {
    data: *mut u8,
    capacity: usize,
    size: usize,
}

#[repr(C)]
#[derive(Default)]
struct Refusal {
    subject: i32,
    reason: i32,
    offset: usize,
    word: usize,
}

#[repr(C)]
struct EnvEntry {
    name: Text,
    value: Text,
}

#[repr(C)]
struct Command {
    words: *const Text,
    word_count: usize,
    variables: *const EnvEntry,
    variable_count: usize,
    working_directory: *const Text,
}

#[repr(C)]
struct Report {
    outcome: i32,
    killed: i32,
    attested: i32,
    preamble: Text,
    before: Text,
    after: Text,
    tool: Text,
}

#[repr(C)]
struct Finding {
    kind: i32,
    effect: i32,
    pointer: Text,
    detail: Text,
    witness: Text,
}

type Object = *mut c_void;

#[rustfmt::skip]
extern "C" {
    fn sandproof_session_id_parse(text: Text, id: *mut Text, refusal: *mut Refusal) -> i32;
    fn sandproof_refusal_explain(refusal: *const Refusal, input: Text, out: *mut Buffer) -> i32;
    fn sandproof_deadline_parse(text: Text, milliseconds: *mut i64, refusal: *mut Refusal) -> i32;
    fn sandproof_bounded_shell(command: *const Command, milliseconds: i64, scheme: i32,
                               call_id: Text, out: *mut Buffer, refusal: *mut Refusal) -> i32;
    fn sandproof_report_read(scheme: i32, call_id: Text, exit_code: *const i32, stream: Text,
                             report: *mut Report, refusal: *mut Refusal) -> i32;
    fn sandproof_is_credible_kill(deadline: i64, elapsed: i64, credible: *mut i32,
                                  refusal: *mut Refusal) -> i32;
    fn sandproof_egress_allow_domains(domains: *const Text, count: usize, rule: *const c_void,
                                      egress: *mut Object, refusal: *mut Refusal) -> i32;
    fn sandproof_document_read(text: Text, kind: i32, document: *mut Object,
                               unreadable: *mut Object) -> i32;
    fn sandproof_compare(egress: Object, document: Object, tolerances: *const c_void, count: usize,
                         comparison: *mut Object) -> i32;
    fn sandproof_comparison_get_verdict(comparison: Object, verdict: *mut i32) -> i32;
    fn sandproof_comparison_get_finding_count(comparison: Object, count: *mut usize) -> i32;
    fn sandproof_comparison_get_finding(comparison: Object, i: usize, out: *mut Finding) -> i32;
    fn sandproof_verdict_name(verdict: i32, name: *mut Text) -> i32;
    fn sandproof_finding_kind_name(kind: i32, name: *mut Text) -> i32;
    fn sandproof_egress_free(egress: Object);
    fn sandproof_document_free(document: Object);
    fn sandproof_unreadable_free(unreadable: Object);
    fn sandproof_comparison_free(comparison: Object);
}

/// Owned is an object of the library's with the function that frees it.
struct Owned(Object, unsafe extern "C" fn(Object));

impl Drop for Owned {
    fn drop(&mut self) {
        unsafe { self.1(self.0) }
    }
}

fn expect_accepted(status: i32) {
    assert_eq!(status, ACCEPTED);
}

/// The text of a call that fills a buffer: the first call asks how large it has to be.
fn text_of(call: impl Fn(*mut Buffer) -> i32) -> String {
    let mut buffer = Buffer { data: null_mut(), capacity: 0, size: 0 };
    assert_eq!(call(&mut buffer), TOO_SMALL);
    let mut room = vec![0; buffer.size];
    buffer = Buffer { data: room.as_mut_ptr(), capacity: room.len(), size: 0 };
    expect_accepted(call(&mut buffer));
    String::from_utf8_lossy(&room).into()
}

fn check_id(value: &str) {
    let text = Text::of(value.as_bytes());
    let mut id = Text::NONE;
    let mut refusal = Refusal::default();
    if unsafe { sandproof_session_id_parse(text, &mut id, &mut refusal) } == ACCEPTED {
        println!("accepted: {}", unsafe { id.copied() });
    } else {
        let sentence = text_of(|out| unsafe { sandproof_refusal_explain(&refusal, text, out) });
        println!("refused: {sentence}");
    }
}

fn build_shell(call_id: Text) {
    let words = [Text::of(b"echo"), Text::of(b"it's; rm -rf /")];
    let variable = EnvEntry { name: Text::of(b"TOKEN"), value: Text::of(b"t") };
    let command = Command {
        words: words.as_ptr(),
        word_count: words.len(),
        variables: &variable,
        variable_count: 1,
        working_directory: null(),
    };
    let mut deadline = 0;
    let mut refusal = Refusal::default();
    expect_accepted(unsafe {
        sandproof_deadline_parse(Text::of(b"1.5s"), &mut deadline, &mut refusal)
    });
    let shell = text_of(|out| {
        let mut refusal = Refusal::default();
        unsafe {
            sandproof_bounded_shell(&command, deadline, SCHEME_SEALED, call_id, out, &mut refusal)
        }
    });
    println!("words: {}", shell.rsplit_once("' sh ").expect("a wrapper").1);
}

fn read_report(call_id: Text) {
    let stream = b"sandproof1 00112233445566778899aabbccddeeff \
        8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e \
        404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\n\
        working...\n\
        sandproof1 00112233445566778899aabbccddeeff deadline d0d1d2d3d4d5d6d7d8d9dadbdcdddedf\n";
    let mut report = Report {
        outcome: -1,
        killed: 0,
        attested: 0,
        preamble: Text::NONE,
        before: Text::NONE,
        after: Text::NONE,
        tool: Text::NONE,
    };
    let mut refusal = Refusal::default();
    let mut credible = 0;
    unsafe {
        let bytes = Text::of(stream);
        let (to, why) = (&mut report, &mut refusal);
        expect_accepted(sandproof_report_read(SCHEME_SEALED, call_id, &137, bytes, to, why));
        expect_accepted(sandproof_is_credible_kill(1500, 1600, &mut credible, &mut refusal));
    }
    let ran = i32::from(report.outcome == OUTCOME_RAN);
    let (killed, attested) = (report.killed, report.attested);
    println!("report: ran {ran} killed {killed} attested {attested} credible {credible}");
    print!("stderr: {}", unsafe { report.before.copied() });
}

/// Names are constants of the library's.
fn name_of(call: unsafe extern "C" fn(i32, *mut Text) -> i32, number: i32) -> String {
    let mut name = Text::NONE;
    unsafe {
        expect_accepted(call(number, &mut name));
        name.copied()
    }
}

fn compare_policy(json: &str) {
    let mut egress = Owned(null_mut(), sandproof_egress_free);
    let mut document = Owned(null_mut(), sandproof_document_free);
    let mut unreadable = Owned(null_mut(), sandproof_unreadable_free);
    let mut comparison = Owned(null_mut(), sandproof_comparison_free);
    let domain = Text::of(b"API.example.com");
    let text = Text::of(json.as_bytes());
    let mut why = Refusal::default();
    let (mut verdict, mut count) = (-1, 0);
    unsafe {
        expect_accepted(sandproof_egress_allow_domains(&domain, 1, null(), &mut egress.0, &mut why));
        let (read, not_read) = (&mut document.0, &mut unreadable.0);
        expect_accepted(sandproof_document_read(text, DOCUMENT_ANY, read, not_read));
        expect_accepted(sandproof_compare(egress.0, document.0, null(), 0, &mut comparison.0));
        expect_accepted(sandproof_comparison_get_verdict(comparison.0, &mut verdict));
        expect_accepted(sandproof_comparison_get_finding_count(comparison.0, &mut count));
    }
    println!("verdict: {}", name_of(sandproof_verdict_name, verdict));
    for index in 0..count {
        let none = Text::NONE;
        let mut finding = Finding { kind: -1, effect: -1, pointer: none, detail: none, witness: none };
        unsafe {
            expect_accepted(sandproof_comparison_get_finding(comparison.0, index, &mut finding));
            println!("finding: {}", name_of(sandproof_finding_kind_name, finding.kind));
            println!("at: {}", finding.pointer.copied());
            println!("witness: {}", finding.witness.copied());
        }
    }
}

fn main() {
    let call_id = Text::of(b"00112233445566778899aabbccddeeff");
    check_id("team--box-605");
    check_id("../team");
    build_shell(call_id);
    read_report(call_id);
    compare_policy(
        r#"{"defaultAction":"Deny","trafficInspection":"Full","hostRules":[
            {"pattern":"api.example.com","action":"Allow"},
            {"pattern":"evil.example","action":"Allow"}]}"#,
    );
}
