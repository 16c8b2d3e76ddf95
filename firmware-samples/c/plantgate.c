/* See plantgate.h. Three parts: the decision, the status as JSON, the command from JSON. */
#include "plantgate.h"

/* ---- The decision ------------------------------------------------------------------------------------------- */

static void set_message(plantgate_core *core, const char *text)
{
    size_t i = 0;
    for (; text[i] != '\0' && i + 1 < PLANTGATE_MESSAGE_SIZE; i++) core->message[i] = text[i];
    core->message[i] = '\0';
}

/* The command while no answer can be read: stop, and call the operator. */
static void stop_and_warn(plantgate_core *core, const char *message)
{
    core->answered = false;
    core->run_enabled = false;
    core->attention_needed = true;
    set_message(core, message);
}

void plantgate_start(plantgate_core *core, uint32_t override_after_ms, uint64_t now_ms)
{
    core->override_after_ms = override_after_ms;
    core->automatic_override = true;
    core->override_switch = false;
    core->connected = false;
    core->connected_ms = now_ms;
    core->valid_answer_ms = now_ms;
    core->pause_ms = PLANTGATE_FIRST_PAUSE_MS;
    stop_and_warn(core, "No answer from the gateway yet");
}

void plantgate_set_override_switch(plantgate_core *core, bool is_on)
{
    core->override_switch = is_on;
}

void plantgate_connected(plantgate_core *core, uint64_t now_ms)
{
    core->connected = true;
    core->connected_ms = now_ms;
}

uint32_t plantgate_disconnected(plantgate_core *core)
{
    const uint32_t pause = core->pause_ms;
    core->connected = false;
    /* The last command still counts: a short break of the network stops no machine. */
    core->pause_ms = pause >= PLANTGATE_LONGEST_PAUSE_MS / 2 ? PLANTGATE_LONGEST_PAUSE_MS : pause * 2;
    return pause;
}

static bool no_answer_for_long(const plantgate_core *core, uint64_t now_ms)
{
    /* An answer that cannot be read starts no new 60 s: a gateway that is broken for long must not stop the plant. */
    return now_ms - core->valid_answer_ms > core->override_after_ms;
}

static bool is_overridden(const plantgate_core *core, uint64_t now_ms)
{
    return core->override_switch || (core->automatic_override && no_answer_for_long(core, now_ms));
}

bool plantgate_is_silent(const plantgate_core *core, uint64_t now_ms)
{
    const uint64_t since =
        core->connected_ms > core->valid_answer_ms ? core->connected_ms : core->valid_answer_ms;
    return core->connected && now_ms - since > PLANTGATE_ANSWER_TIMEOUT_MS;
}

plantgate_decision_t plantgate_decision(const plantgate_core *core, uint64_t now_ms)
{
    const bool overridden = is_overridden(core, now_ms);
    plantgate_decision_t decision;
    decision.state = overridden ? PLANTGATE_OVERRIDE : core->connected && core->answered ? PLANTGATE_ANSWERED : PLANTGATE_WAITING;
    decision.may_run = overridden || core->run_enabled;
    decision.warning_light = !overridden && core->attention_needed;
    decision.override_light = overridden;
    decision.override_offered = no_answer_for_long(core, now_ms);
    decision.message = decision.may_run ? "" : core->message;
    return decision;
}

uint32_t plantgate_interval_ms(const plantgate_machine *machine)
{
    return machine->running ? PLANTGATE_RUNNING_INTERVAL_MS : PLANTGATE_STOPPED_INTERVAL_MS;
}

/* ---- The status as JSON ------------------------------------------------------------------------------------- */

typedef struct {
    char *text;
    size_t size;
    size_t length; /* may grow beyond size: then the text did not fit */
} writer;

static void put(writer *out, char character)
{
    if (out->length + 1 < out->size) out->text[out->length] = character;
    out->length++;
}

static void put_text(writer *out, const char *text)
{
    while (*text != '\0') put(out, *text++);
}

static void put_number(writer *out, uint64_t number)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + (int)(number % 10));
        number /= 10;
    } while (number > 0);
    while (count > 0) put(out, digits[--count]);
}

static void put_quoted(writer *out, const char *text)
{
    put(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') put(out, '\\');
        /* Control characters have no place in an id. */
        put(out, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
    put(out, '"');
}

static void put_bool_field(writer *out, const char *name, bool value)
{
    put(out, ',');
    put_quoted(out, name);
    put_text(out, value ? ":true" : ":false");
}

static void put_number_field(writer *out, const char *name, uint64_t value)
{
    put(out, ',');
    put_quoted(out, name);
    put(out, ':');
    put_number(out, value);
}

static void put_text_field(writer *out, const char *name, const char *value)
{
    if (value == NULL) return;
    put(out, ',');
    put_quoted(out, name);
    put(out, ':');
    put_quoted(out, value);
}

size_t plantgate_status(const plantgate_core *core, const plantgate_machine *machine, uint64_t now_ms, char *text,
                        size_t size)
{
    writer out;
    out.text = text;
    out.size = size;
    out.length = 0;
    put_text(&out, "{\"machineId\":");
    put_quoted(&out, machine->machine_id);
    put_bool_field(&out, "running", machine->running);
    put_bool_field(&out, "machinePower", machine->machine_power);
    put_bool_field(&out, "fault", machine->fault);
    put_bool_field(&out, "override", is_overridden(core, now_ms));
    put_number_field(&out, "mSecSinceBoot", machine->ms_since_boot);
    put_number_field(&out, "cycle", machine->cycle);
    put_number_field(&out, "goodPart", machine->good_part);
    put_number_field(&out, "badPart", machine->bad_part);
    put_text_field(&out, "userId", machine->user_id);
    put_text_field(&out, "partId", machine->part_id);
    put(&out, '}');
    if (out.length >= size) return 0;
    text[out.length] = '\0';
    return out.length;
}

/* ---- The command from JSON ---------------------------------------------------------------------------------- */

#define DEEPEST 4 /* a command is a flat object; fields that are added later may be objects themselves */

typedef struct {
    const char *at;
    const char *end;
} reader;

static void skip_blanks(reader *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\r' || *in->at == '\n')) in->at++;
}

/* Takes one character, after blanks. */
static bool take(reader *in, char character)
{
    skip_blanks(in);
    if (in->at >= in->end || *in->at != character) return false;
    in->at++;
    return true;
}

static bool take_word(reader *in, const char *word)
{
    const char *at;
    skip_blanks(in);
    at = in->at;
    while (*word != '\0') {
        if (at >= in->end || *at != *word) return false;
        at++;
        word++;
    }
    in->at = at;
    return true;
}

static bool take_bool(reader *in, bool *value)
{
    *value = take_word(in, "true");
    return *value || take_word(in, "false");
}

static int hex_digit(char character)
{
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    if (character >= 'A' && character <= 'F') return character - 'A' + 10;
    return -1;
}

/* The four digits behind \u. A character that small displays cannot show becomes a question mark. */
static bool take_code(reader *in, char *character)
{
    int code = 0, i;
    for (i = 0; i < 4; i++) {
        const int digit = in->at < in->end ? hex_digit(*in->at) : -1;
        if (digit < 0) return false;
        code = code * 16 + digit;
        in->at++;
    }
    *character = code >= 0x20 && code < 0x7f ? (char)code : '?';
    return true;
}

static bool take_escape(reader *in, char *character)
{
    if (in->at >= in->end) return false;
    *character = *in->at++;
    switch (*character) {
    case '"': case '\\': case '/': return true;
    case 'b': case 'f': case 'n': case 'r': case 't': *character = ' '; return true;
    case 'u': return take_code(in, character);
    default: return false;
    }
}

/* Takes a text, and cuts it off at `size`. */
static bool take_text(reader *in, char *text, size_t size)
{
    size_t length = 0;
    if (!take(in, '"')) return false;
    while (in->at < in->end && *in->at != '"') {
        char character = *in->at++;
        if ((unsigned char)character < 0x20) return false;
        if (character == '\\' && !take_escape(in, &character)) return false;
        if (length + 1 < size) text[length++] = character;
    }
    text[length] = '\0';
    return take(in, '"');
}

static bool take_number(reader *in)
{
    const char *from;
    skip_blanks(in);
    from = in->at;
    while (in->at < in->end && ((*in->at >= '0' && *in->at <= '9') || *in->at == '-' || *in->at == '+' ||
                                *in->at == '.' || *in->at == 'e' || *in->at == 'E'))
        in->at++;
    return in->at > from;
}

static bool skip_value(reader *in, int depth);

static bool skip_members(reader *in, char close, int depth)
{
    char ignored[1];
    if (depth > DEEPEST) return false;
    if (take(in, close)) return true;
    do {
        if (close == '}' && !(take_text(in, ignored, sizeof ignored) && take(in, ':'))) return false;
        if (!skip_value(in, depth)) return false;
    } while (take(in, ','));
    return take(in, close);
}

static bool skip_value(reader *in, int depth)
{
    char ignored[1];
    bool value;
    if (take(in, '{')) return skip_members(in, '}', depth + 1);
    if (take(in, '[')) return skip_members(in, ']', depth + 1);
    if (take_bool(in, &value) || take_word(in, "null")) return true;
    return take_text(in, ignored, sizeof ignored) || take_number(in);
}

static bool is_name(const char *one, const char *other)
{
    while (*one != '\0' && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

typedef struct {
    bool has_run_enabled, run_enabled;
    bool has_attention_needed, attention_needed;
    char message[PLANTGATE_MESSAGE_SIZE];
} command;

static bool take_field(reader *in, command *read)
{
    char name[24];
    if (!take_text(in, name, sizeof name) || !take(in, ':')) return false;
    if (is_name(name, "runEnabled")) return read->has_run_enabled = take_bool(in, &read->run_enabled);
    if (is_name(name, "attentionNeeded")) return read->has_attention_needed = take_bool(in, &read->attention_needed);
    if (is_name(name, "message")) return take_word(in, "null") || take_text(in, read->message, sizeof read->message);
    return skip_value(in, 1);
}

/* A command is an object with both decisions, and nothing behind it. */
static bool read_command(reader *in, command *read)
{
    if (!take(in, '{')) return false;
    do {
        if (!take_field(in, read)) return false;
    } while (take(in, ','));
    if (!take(in, '}')) return false;
    skip_blanks(in);
    return in->at == in->end && read->has_run_enabled && read->has_attention_needed;
}

bool plantgate_answer(plantgate_core *core, const char *json, size_t length, uint64_t now_ms)
{
    reader in;
    command read = {false, false, false, false, ""};
    in.at = json;
    in.end = json + length;
    if (!read_command(&in, &read)) {
        stop_and_warn(core, "The gateway's answer cannot be read");
        return false;
    }
    /* It is about a silence that is over when a device reads it. The answer to the next status counts. */
    if (is_name(read.message, "Device not responding")) return true;
    core->answered = true;
    core->run_enabled = read.run_enabled;
    core->attention_needed = read.attention_needed;
    set_message(core, read.message);
    /* It stops the machine, but starts no new 60 s, like an answer that cannot be read. */
    if (is_name(read.message, "Server error - grain unavailable")) return true;
    core->valid_answer_ms = now_ms;
    core->pause_ms = PLANTGATE_FIRST_PAUSE_MS;
    return true;
}
