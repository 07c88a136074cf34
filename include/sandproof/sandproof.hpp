// Everything that the core and the wire decide. name_patterns.h is apart: it needs RE2.
#pragma once

#include "sandproof/call_id.h"
#include "sandproof/command.h"
#include "sandproof/deadline.h"
#include "sandproof/deadline_report.h"
#include "sandproof/domain_pattern.h"
#include "sandproof/egress.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/environment.h"
#include "sandproof/name_rule.h"
#include "sandproof/plain_text.h"
#include "sandproof/refusal.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "sandproof/session_state.h"
#include "sandproof/shell.h"
#include "sandproof/wire.h"
