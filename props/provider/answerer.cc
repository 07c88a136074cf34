#include "answerer.h"

#include <algorithm>
#include <initializer_list>

#include "invariants.h"

namespace sandproof::props {
namespace {

const std::string k_marker(k_markers[0]);

template <class Body>
Letter letter(std::string name, Body body, Saw saw = {}) {
  Letter made;
  made.name = std::move(name);
  made.answer = std::move(body);
  made.saw = saw;
  return made;
}

Letter failure(std::string name, Got got, bool published, TransportError error) {
  Saw saw;
  saw.got = got;
  saw.published = published;
  return letter(std::move(name), std::unexpected(CallError(std::move(error))), saw);
}

template <class Body>
Letter undecodable(std::string name, Body body) {
  Saw saw;
  saw.got = Got::undecodable;
  return letter(std::move(name), std::move(body), saw);
}

Letter paced(Letter letter, Pace pace, std::string_view name) {
  letter.pace = pace;
  letter.name += ", ";
  letter.name += name;
  return letter;
}

Letter late(Letter letter) { return paced(std::move(letter), k_overdue, "late"); }
Letter slow(Letter letter) { return paced(std::move(letter), k_whole_bound, "whole bound"); }

Letter rare(Letter letter) {
  letter.rare = true;
  return letter;
}

// Letters of one setting.
struct Maker {
  const Setting& setting;
  const Names& names;

  Letter record(std::string_view id, Life life, Policy policy, Whose whose) const {
    return letter(std::string(name(life)) + ", policy " + std::string(name(policy)) +
                      (whose == Whose::right ? "" : ", id " + escaped(id)),
                  make_record(setting, id, life, policy), saw_record(setting, life, policy, whose));
  }
  // The record of the session that was asked for; it is asked by another id where it was created
  // in the same call, so the driver puts the id in.
  Letter record(Life life, Policy policy) const { return record("", life, policy, Whose::right); }
  Letter made(std::string_view id, Life life, Policy policy, Whose whose) const {
    Letter made = record(id, life, policy, whose);
    made.name = "made " + escaped(id) + ", " + made.name;
    made.minted = id;
    return made;
  }
};

Letter accepted() { return letter("accepted", Accepted{}); }

void append(std::vector<Letter>& to, std::vector<Letter> more) {
  std::ranges::move(more, std::back_inserter(to));
}

std::vector<Letter> abridged_first(std::vector<Letter> letters) {
  std::vector<Letter> sorted;
  for (const bool wanted : {false, true}) {
    for (const Letter& each : letters) {
      if (each.rare == wanted) sorted.push_back(each);
    }
  }
  return sorted;
}

std::vector<Letter> records(const Maker& maker) {
  using enum Life;
  const auto in = [&maker](Life life, Policy policy) { return maker.record(life, policy); };
  std::vector<Letter> letters = {
      in(running, Policy::right),
      in(running, Policy::fewer),
      in(running, Policy::wider),
      in(running, Policy::absent),
      in(creating, Policy::absent),
      late(in(resuming, Policy::absent)),
      in(stopping, Policy::wider),
      in(stopped, Policy::absent),
      slow(in(stopped, Policy::fewer)),
      in(suspended, Policy::right),
      in(idle, Policy::wider),
      in(deleting, Policy::absent),
      in(failed, Policy::absent),
      in(unknown, Policy::right),
      maker.record(maker.names.other, running, Policy::right, Whose::other),
  };
  for (std::size_t life = 0; life < k_life_count; ++life) {
    for (std::size_t policy = 0; policy < k_policy_count; ++policy) {
      letters.push_back(rare(in(static_cast<Life>(life), static_cast<Policy>(policy))));
    }
    letters.push_back(rare(slow(in(static_cast<Life>(life), Policy::right))));
    letters.push_back(rare(late(in(static_cast<Life>(life), Policy::right))));
    letters.push_back(rare(
        maker.record(maker.names.other, static_cast<Life>(life), Policy::absent, Whose::other)));
  }
  const std::array<std::string, 3> unusable = {"", ".." + k_marker,
                                               k_marker + std::string(64, 'a')};
  for (const std::string& id : unusable) {
    letters.push_back(rare(maker.record(id, running, Policy::right, Whose::unaddressable)));
    letters.push_back(rare(maker.record(id, failed, Policy::right, Whose::unaddressable)));
  }
  return letters;
}

std::vector<Letter> creations(const Maker& maker) {
  using enum Life;
  const std::string& id = maker.names.minted;
  const std::string unusable = "a/" + k_marker + "?x";
  const std::string too_long = k_marker + std::string(55, 'a');  // 64 bytes
  std::vector<Letter> letters = {
      maker.made(id, creating, Policy::absent, Whose::right),
      maker.made(too_long, running, Policy::right, Whose::too_long),
      maker.made(unusable, running, Policy::right, Whose::unaddressable),
      rare(maker.made(id, running, Policy::right, Whose::right)),
      rare(slow(maker.made(id, creating, Policy::absent, Whose::right))),
      rare(late(maker.made(id, creating, Policy::absent, Whose::right))),
      rare(maker.made(id, running, Policy::unreadable, Whose::right)),
      rare(maker.made(id, running, Policy::wider, Whose::right)),
      rare(maker.made(id, unknown, Policy::absent, Whose::right)),
      rare(maker.made(id, unnamed, Policy::absent, Whose::right)),
      rare(maker.made(id, failed, Policy::absent, Whose::right)),
      rare(maker.made(k_marker + std::string(2'000, 'a'), creating, Policy::absent,
                      Whose::too_long)),
      rare(maker.made("", running, Policy::right, Whose::unaddressable)),
      rare(maker.made("..", running, Policy::right, Whose::unaddressable)),
      rare(maker.made(k_marker + "\n\x1b[1m", running, Policy::right, Whose::unaddressable)),
      rare(maker.made(k_marker + "\xc3\xa9", unknown, Policy::right, Whose::unaddressable)),
  };
  return letters;
}

Letter ended(const Report& report, Pace pace, std::string_view when) {
  Letter made = letter(report.name + std::string(when), report.result);
  made.pace = pace;
  made.output = std::make_shared<const Output>(report.output);
  made.saw.finish = report.finish;
  made.saw.output = made.output.get();
  return made;
}

std::vector<Letter> commands(const CallId& call, milliseconds deadline) {
  std::vector<Letter> letters;
  const milliseconds credible = deadline * 99 / 100;
  const std::vector<Report> all = reports(call);
  for (const Report& report : all) {
    const bool is_common = &report - all.data() < 5;
    const auto add = [&](Pace pace, std::string_view when, bool is_rare) {
      Letter made = ended(report, pace, when);
      made.rare = is_rare;
      letters.push_back(std::move(made));
    };
    add(k_at_once, ", at once", !is_common);
    add({.base = deadline}, ", at the deadline", !is_common);
    add({.base = credible}, ", 99 %", true);
    add({.base = credible - milliseconds{1}}, ", just before 99 %", true);
    add(k_whole_bound, ", at the guard", true);
    add(k_overdue, ", late", true);
    add({.held = deadline}, ", held back, then at once", true);
  }
  return letters;
}

Letter file(std::string bytes) {
  Letter made = letter("bytes " + escaped(bytes), FileContent{bytes});
  made.output = std::make_shared<const Output>(
      Output{.out = std::move(bytes), .err = {}, .preamble = {}, .exit_code = {}});
  made.saw.output = made.output.get();
  return made;
}

}  // namespace

std::vector<Letter> failures() {
  using Propagation = TransportError::Propagation;
  const auto http = [](int status) { return TransportError::http_status(status, k_marker); };
  const auto conflict = [](std::optional<int> status, Propagation propagation) {
    return TransportError::conflict(status, propagation, k_marker);
  };
  std::vector<Letter> letters = {
      failure("not found", Got::missing, true, TransportError::not_found(k_marker)),
      failure("access denied", Got::refused, true, TransportError::access_denied(k_marker)),
      failure("unavailable", Got::incomplete, false, TransportError::unavailable(k_marker)),
      slow(failure("timed out", Got::timed_out, false, TransportError::timed_out(k_marker))),
      undecodable("unreadable",
                  std::unexpected(CallError(Unreadable{Reason::wrong_type, "/" + k_marker}))),
  };
  std::vector<Letter> more = {
      failure("404", Got::missing, false, http(404)),
      failure("invalid input", Got::refused, true, TransportError::invalid_input(k_marker)),
      failure("conflict 409", Got::refused, true, conflict(409, Propagation::unmarked)),
      failure("conflict 409, delayed", Got::incomplete, false, conflict(409, Propagation::delayed)),
      failure("conflict 408", Got::incomplete, false, conflict(408, Propagation::unmarked)),
      failure("conflict 503", Got::incomplete, false, conflict(503, Propagation::unmarked)),
      failure("conflict without status", Got::incomplete, false,
              conflict(std::nullopt, Propagation::unmarked)),
      failure("302", Got::incomplete, false, http(302)),
      failure("403", Got::refused, false, http(403)),
      failure("408", Got::incomplete, false, http(408)),
      failure("409", Got::refused, false, http(409)),
      failure("418", Got::refused, false, http(418)),
      failure("429", Got::refused, false, http(429)),
      failure("503", Got::incomplete, false, http(503)),
      failure("500, and no word", Got::incomplete, false, TransportError::http_status(500)),
      failure("499, and no word", Got::refused, false, TransportError::http_status(499)),
      failure("timed out at once", Got::timed_out, false, TransportError::timed_out(k_marker)),
      late(failure("timed out", Got::timed_out, false, TransportError::timed_out(k_marker))),
      late(failure("unavailable", Got::incomplete, false, TransportError::unavailable(k_marker))),
      late(failure("not found", Got::missing, true, TransportError::not_found(k_marker))),
      late(failure("access denied", Got::refused, true, TransportError::access_denied(k_marker))),
      undecodable("not JSON", std::unexpected(CallError(Unreadable{Reason::not_json, "", 7}))),
  };
  for (Letter& each : more) letters.push_back(rare(std::move(each)));
  return letters;
}

Alphabet alphabet(const Setting& setting, const Names& names, const CallId& call,
                  milliseconds deadline) {
  const Maker maker{setting, names};
  const std::vector<Letter> accepting = {accepted(), rare(slow(accepted())), late(accepted())};
  Alphabet all;
  Letter ignored =
      letter("ignored", std::unexpected(CallError(TransportError::unavailable(k_marker))));
  all[index(Ask::wait)] = {slow(accepted()), late(accepted()), rare(slow(std::move(ignored)))};
  all[index(Ask::create)] = creations(maker);
  all[index(Ask::get)] = records(maker);
  all[index(Ask::exec)] = commands(call, deadline);
  all[index(Ask::read)] = {file(k_marker), rare(file("")), rare(late(file(k_marker)))};
  for (const Ask ask : {Ask::remove, Ask::stop, Ask::wake, Ask::write, Ask::mkdir}) {
    all[index(ask)] = accepting;
  }

  // An answer of another kind than was asked for is a body that cannot be decoded.
  const Letter wrong_record = rare(
      undecodable("a record", make_record(setting, names.asked, Life::running, Policy::right)));
  const Letter wrong_file = rare(undecodable("a file", FileContent{k_marker}));
  const Letter wrong_run = rare(undecodable("a run", ExecResult{k_marker, k_marker, 0}));
  const Letter wrong_word = rare(undecodable("accepted", Accepted{}));
  for (std::size_t ask = 1; ask < k_ask_count; ++ask) {
    std::vector<Letter>& letters = all[ask];
    append(letters, failures());
    const bool wants_record = ask == index(Ask::create) || ask == index(Ask::get);
    if (!wants_record) letters.push_back(wrong_record);
    if (ask != index(Ask::read)) letters.push_back(wrong_file);
    if (ask != index(Ask::exec)) letters.push_back(wrong_run);
    if (wants_record || ask == index(Ask::exec) || ask == index(Ask::read)) {
      letters.push_back(wrong_word);
    }
  }
  for (std::vector<Letter>& letters : all) letters = abridged_first(std::move(letters));
  return all;
}

std::vector<Tail> tails(const Setting& setting, const Names& names, const CallId& call) {
  const Maker maker{setting, names};
  const std::vector<Letter> failing = failures();
  const Letter& missing = failing[0];
  const Letter& refused = failing[1];
  const Letter& incomplete = failing[2];
  const Letter& overrun = failing[3];
  const Letter& garbled = failing[4];
  const auto in = [&](Life life, Policy policy, int seconds) {
    Letter made = maker.record(life, policy);
    made.pace.base = std::chrono::seconds{seconds};
    return made;
  };
  // Everything well, but for what is put in its place.
  const auto tail = [&](std::string name, Letter read, Letter change, Letter work) {
    Tail made{.name = std::move(name), .letters = {}};
    const std::vector<Report> all = reports(call);
    made.letters[index(Ask::wait)] = slow(accepted());
    made.letters[index(Ask::create)] =
        maker.made(names.minted, Life::creating, Policy::absent, Whose::right);
    made.letters[index(Ask::exec)] = ended(all.front(), k_at_once, "");
    made.letters[index(Ask::read)] = file(k_marker);
    made.letters[index(Ask::get)] = std::move(read);
    for (const Ask ask : {Ask::remove, Ask::stop, Ask::wake}) made.letters[index(ask)] = change;
    for (const Ask ask : {Ask::write, Ask::mkdir}) made.letters[index(ask)] = work;
    return made;
  };
  const auto always = [&](std::string name, const Letter& each) {
    Tail made = tail(std::move(name), each, each, each);
    for (std::size_t ask = 1; ask < k_ask_count; ++ask) made.letters[ask] = each;
    return made;
  };
  const Letter well = accepted();
  std::vector<Tail> all = {
      tail("well", in(Life::running, Policy::right, 0), well, well),
      always("not found", missing),
      tail("deleting", in(Life::deleting, Policy::absent, 0), well, refused),
      always("unavailable", incomplete),
      tail("asleep", in(Life::suspended, Policy::absent, 20), well, well),
      tail("asleep, wakes refused", in(Life::stopped, Policy::right, 20), refused, well),
      tail("wrong", in(Life::running, Policy::wider, 0), incomplete, garbled),
      always("access denied", refused),
      always("unreadable", garbled),
      tail("starting", in(Life::creating, Policy::absent, 25), refused, incomplete),
  };
  std::vector<Tail> more = {
      always("timed out", overrun),
      tail("starting at once", in(Life::resuming, Policy::absent, 0), well, well),
      tail("asleep at once", in(Life::idle, Policy::absent, 0), incomplete, well),
      tail("stopping at once", in(Life::stopping, Policy::wider, 0), well, well),
  };
  for (Tail& each : more) {
    each.slow = true;
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace sandproof::props
