/*
 * The core of a device that works with plantgate: portable C99, without allocation and without the operating system.
 *
 * It does three things, and your program does the rest:
 *   1. plantgate_status()   writes the status of the machine as JSON.
 *   2. plantgate_answer()   reads the command that the gateway answers with.
 *   3. plantgate_decision() says whether the machine may run, and which lights are on.
 *
 * The decision is a permission, never a start: a machine that stopped starts when its operator starts it.
 * It is no safety function either. Emergency stop and guards stay wired as they are.
 */
#ifndef PLANTGATE_H
#define PLANTGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest status is about 600 characters: ids of 64 characters and every number at its largest. */
#define PLANTGATE_STATUS_SIZE 768
#define PLANTGATE_MESSAGE_SIZE 128

/* The interface recommends these times. */
#define PLANTGATE_RUNNING_INTERVAL_MS 500u   /* between two statuses while the machine runs */
#define PLANTGATE_STOPPED_INTERVAL_MS 1000u  /* the same while it stands */
#define PLANTGATE_FIRST_PAUSE_MS 1000u       /* before the second try to connect; each further pause is twice as long */
#define PLANTGATE_LONGEST_PAUSE_MS 60000u
#define PLANTGATE_OVERRIDE_AFTER_MS 60000u   /* without a valid answer */
#define PLANTGATE_ANSWER_TIMEOUT_MS 10000u   /* a connection that brings no answer for this time is closed and made again */

/* The state of the machine. Fill it in before each plantgate_status(). */
typedef struct {
    const char *machine_id; /* as it is configured in the gateway; upper and lower case count */
    bool running;           /* true only while the machine cycles in automatic mode */
    bool machine_power;     /* false or left out: the gateway does not let the machine run */
    bool fault;
    uint64_t ms_since_boot; /* never set back but at boot. A 32-bit counter overflows after 49 days: extend it */
    uint64_t cycle;         /* the three counters are totals since boot, they never decrease and */
    uint64_t good_part;     /* are not reset at a change of shift or of the part */
    uint64_t bad_part;
    const char *user_id;    /* NULL: left out */
    const char *part_id;    /* NULL: a person selects the part on the gateway's page */
} plantgate_machine;

typedef enum {
    PLANTGATE_WAITING,  /* the newest answer is missing or could not be read */
    PLANTGATE_ANSWERED, /* the gateway's command counts */
    PLANTGATE_OVERRIDE  /* the command is ignored */
} plantgate_state;

typedef struct {
    plantgate_state state;
    bool may_run;           /* interlock of the machine's start */
    bool warning_light;     /* the operator is needed */
    bool override_light;    /* override is on: the gateway's rules are ignored */
    bool override_offered;  /* no valid answer for 60 s: the operator may switch override on */
    const char *message;    /* show it while may_run is false; "" where there is nothing to say */
} plantgate_decision_t;

/* The memory of the core. Read it through the functions only. */
typedef struct {
    uint32_t override_after_ms;
    bool automatic_override;  /* false: after 60 s override is offered, and only the switch turns it on */
    bool override_switch;
    bool connected;
    uint64_t connected_ms;    /* when the connection was made */
    uint64_t valid_answer_ms; /* when the last answer that could be read came; at first when the core started */
    bool answered;            /* the newest answer could be read */
    bool run_enabled;
    bool attention_needed;
    char message[PLANTGATE_MESSAGE_SIZE];
    uint32_t pause_ms;        /* before the next try to connect */
} plantgate_core;

/* Starts in the safe state: the machine may not run until the first answer. */
void plantgate_start(plantgate_core *core, uint32_t override_after_ms, uint64_t now_ms);

/* The operator's override switch. */
void plantgate_set_override_switch(plantgate_core *core, bool is_on);

void plantgate_connected(plantgate_core *core, uint64_t now_ms);

/* The connection was lost, or a try to connect failed. Returns how long to wait before the next try. */
uint32_t plantgate_disconnected(plantgate_core *core);

/* Takes in a command as it came; returns whether it could be read. One that cannot be read stops the machine.
   `Device not responding` changes nothing: the answer to the next status counts. */
bool plantgate_answer(plantgate_core *core, const char *json, size_t length, uint64_t now_ms);

/* Whether the connection is silent for so long that it should be closed and made again. */
bool plantgate_is_silent(const plantgate_core *core, uint64_t now_ms);

plantgate_decision_t plantgate_decision(const plantgate_core *core, uint64_t now_ms);

/* Writes the status as JSON, with a zero at its end. Returns its length, or 0 if `size` is too small for it. */
size_t plantgate_status(const plantgate_core *core, const plantgate_machine *machine, uint64_t now_ms, char *text,
                        size_t size);

/* When the next status is due after one that was sent. */
uint32_t plantgate_interval_ms(const plantgate_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
