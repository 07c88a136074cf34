// The same questions as in ../c/decide.c, from Go: cgo alone, linked with libsandproof_c.so.
package main

/*
#cgo CFLAGS: -std=c99
#cgo LDFLAGS: -lsandproof_c
#include <stdlib.h>

#include "sandproof/sandproof.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// arena owns what C is given: a text of Go's that C would see through another pointer may not be
// passed, so each is copied, and all copies are freed at once.
type arena struct{ blocks []unsafe.Pointer }

func (a *arena) free() {
	for _, block := range a.blocks {
		C.free(block)
	}
}

func (a *arena) text(value string) C.sandproof_text {
	block := C.CString(value)
	a.blocks = append(a.blocks, unsafe.Pointer(block))
	return C.sandproof_text{data: block, size: C.size_t(len(value))}
}

func (a *arena) texts(values ...string) (*C.sandproof_text, C.size_t) {
	size := C.size_t(unsafe.Sizeof(C.sandproof_text{}))
	block := C.malloc(size * C.size_t(len(values)))
	a.blocks = append(a.blocks, block)
	list := unsafe.Slice((*C.sandproof_text)(block), len(values))
	for i, value := range values {
		list[i] = a.text(value)
	}
	return &list[0], C.size_t(len(values))
}

// copied takes a view out of C, while what it is a view of is still there.
func copied(text C.sandproof_text) string {
	return string(C.GoBytes(unsafe.Pointer(text.data), C.int(text.size)))
}

func expectAccepted(status C.sandproof_status) {
	if status != C.SANDPROOF_ACCEPTED {
		panic(fmt.Sprintf("status %d", status))
	}
}

// textOf gives the text of a call that fills a buffer: the first call asks how large it has to be.
func textOf(call func(out *C.sandproof_buffer) C.sandproof_status) string {
	var buffer C.sandproof_buffer
	if call(&buffer) == C.SANDPROOF_TOO_SMALL {
		buffer.data = (*C.char)(C.malloc(buffer.size))
		buffer.capacity = buffer.size
		defer C.free(unsafe.Pointer(buffer.data))
	}
	expectAccepted(call(&buffer))
	return string(C.GoBytes(unsafe.Pointer(buffer.data), C.int(buffer.size)))
}

func checkID(value string) {
	var memory arena
	defer memory.free()
	text := memory.text(value)
	var id C.sandproof_text
	var refusal C.sandproof_refusal
	if C.sandproof_session_id_parse(text, &id, &refusal) == C.SANDPROOF_ACCEPTED {
		fmt.Println("accepted:", copied(id))
		return
	}
	fmt.Println("refused:", textOf(func(out *C.sandproof_buffer) C.sandproof_status {
		return C.sandproof_refusal_explain(&refusal, text, out)
	}))
}

// buildShell passes one pointer at a time: the command is C's memory too, for it holds pointers.
func buildShell(callID string) {
	var memory arena
	defer memory.free()
	command := (*C.sandproof_command)(C.calloc(1, C.size_t(unsafe.Sizeof(C.sandproof_command{}))))
	variable := (*C.sandproof_env_entry)(C.malloc(C.size_t(unsafe.Sizeof(C.sandproof_env_entry{}))))
	memory.blocks = append(memory.blocks, unsafe.Pointer(command), unsafe.Pointer(variable))
	*variable = C.sandproof_env_entry{name: memory.text("TOKEN"), value: memory.text("t")}
	command.words, command.word_count = memory.texts("echo", "it's; rm -rf /")
	command.variables, command.variable_count = variable, 1

	var deadline C.int64_t
	var refusal C.sandproof_refusal
	expectAccepted(C.sandproof_deadline_parse(memory.text("1.5s"), &deadline, &refusal))
	id := memory.text(callID)
	shell := textOf(func(out *C.sandproof_buffer) C.sandproof_status {
		return C.sandproof_bounded_shell(command, deadline, C.SANDPROOF_SCHEME_SEALED, id, out, &refusal)
	})
	fmt.Println("words:", shell[strings.LastIndex(shell, "' sh ")+len("' sh "):])
}

func readReport(callID string) {
	stream := "sandproof1 00112233445566778899aabbccddeeff " +
		"8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e " +
		"404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\n" +
		"working...\n" +
		"sandproof1 00112233445566778899aabbccddeeff deadline d0d1d2d3d4d5d6d7d8d9dadbdcdddedf\n"
	var memory arena
	defer memory.free()
	exitCode := C.int32_t(137)
	var credible C.int32_t
	var report C.sandproof_report
	var refusal C.sandproof_refusal
	expectAccepted(C.sandproof_report_read(C.SANDPROOF_SCHEME_SEALED, memory.text(callID), &exitCode,
		memory.text(stream), &report, &refusal))
	expectAccepted(C.sandproof_is_credible_kill(1500, 1600, &credible, &refusal))
	ran := 0
	if report.outcome == C.SANDPROOF_OUTCOME_RAN {
		ran = 1
	}
	fmt.Printf("report: ran %d killed %d attested %d credible %d\n", ran, report.killed,
		report.attested, credible)
	fmt.Print("stderr: ", copied(report.before))
}

func comparePolicy(json string) {
	var memory arena
	defer memory.free()
	var refusal C.sandproof_refusal
	var egress *C.sandproof_egress
	domains, count := memory.texts("API.example.com")
	expectAccepted(C.sandproof_egress_allow_domains(domains, count, nil, &egress, &refusal))
	defer C.sandproof_egress_free(egress)
	var document *C.sandproof_document
	var unreadable *C.sandproof_unreadable
	expectAccepted(C.sandproof_document_read(memory.text(json), C.SANDPROOF_DOCUMENT_ANY, &document,
		&unreadable))
	defer C.sandproof_document_free(document)
	var comparison *C.sandproof_comparison
	expectAccepted(C.sandproof_compare(egress, document, nil, 0, &comparison))
	defer C.sandproof_comparison_free(comparison)

	var verdict C.sandproof_verdict
	var name C.sandproof_text
	expectAccepted(C.sandproof_comparison_get_verdict(comparison, &verdict))
	expectAccepted(C.sandproof_verdict_name(verdict, &name))
	fmt.Println("verdict:", copied(name))
	expectAccepted(C.sandproof_comparison_get_finding_count(comparison, &count))
	for i := C.size_t(0); i < count; i++ {
		var finding C.sandproof_finding
		expectAccepted(C.sandproof_comparison_get_finding(comparison, i, &finding))
		expectAccepted(C.sandproof_finding_kind_name(finding.kind, &name))
		fmt.Println("finding:", copied(name))
		fmt.Println("at:", copied(finding.pointer))
		fmt.Println("witness:", copied(finding.witness))
	}
}

func main() {
	callID := "00112233445566778899aabbccddeeff"
	checkID("team--box-605")
	checkID("../team")
	buildShell(callID)
	readReport(callID)
	comparePolicy(`{"defaultAction":"Deny","trafficInspection":"Full","hostRules":[` +
		`{"pattern":"api.example.com","action":"Allow"},` +
		`{"pattern":"evil.example","action":"Allow"}]}`)
}
