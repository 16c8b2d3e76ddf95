/* Checks of the C sample's core, run by c.test.ts: every rule with its times, and input that is broken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqtt311.h"
#include "plantgate.h"

static int passed;

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            printf("line %d: %s does not hold\n", __LINE__, #condition);   \
            exit(1);                                                        \
        }                                                                   \
        passed++;                                                           \
    } while (0)

#define STOP(reason) "{\"runEnabled\":false,\"attentionNeeded\":true,\"message\":\"" reason "\"}"
#define RUN "{\"runEnabled\":true,\"attentionNeeded\":false,\"message\":null}"

/* A copy that ends where the text ends, so that valgrind sees every byte read beyond it. */
static bool answer(plantgate_core *core, const char *text, uint64_t now_ms)
{
    const size_t length = strlen(text);
    char *copy = malloc(length > 0 ? length : 1);
    bool is_read;
    memcpy(copy, text, length);
    is_read = plantgate_answer(core, copy, length, now_ms);
    free(copy);
    return is_read;
}

static void check_decisions(void)
{
    plantgate_core core;
    plantgate_start(&core, 60000, 0);
    CHECK(!plantgate_decision(&core, 0).may_run);
    CHECK(plantgate_decision(&core, 0).warning_light);
    CHECK(plantgate_decision(&core, 0).state == PLANTGATE_WAITING);
    plantgate_connected(&core, 10);
    CHECK(!plantgate_is_silent(&core, 10010));
    CHECK(plantgate_is_silent(&core, 10011));
    CHECK(answer(&core, RUN, 1000));
    CHECK(plantgate_decision(&core, 1000).may_run);
    CHECK(plantgate_decision(&core, 1000).state == PLANTGATE_ANSWERED);
    CHECK(plantgate_decision(&core, 61000).state == PLANTGATE_ANSWERED);
    CHECK(plantgate_decision(&core, 61001).state == PLANTGATE_OVERRIDE);
    CHECK(plantgate_decision(&core, 61001).override_light);
    CHECK(answer(&core, "{\"runEnabled\":false,\"attentionNeeded\":true,\"message\":\"Part not selected\"}", 61002));
    CHECK(!plantgate_decision(&core, 61002).may_run);
    CHECK(strcmp(plantgate_decision(&core, 61002).message, "Part not selected") == 0);
    plantgate_set_override_switch(&core, true);
    CHECK(plantgate_decision(&core, 61003).may_run);
    CHECK(!plantgate_decision(&core, 61003).warning_light);
    plantgate_set_override_switch(&core, false);
    /* What cannot be read stops at once, and starts no new 60 s. */
    CHECK(answer(&core, RUN, 70000));
    CHECK(!answer(&core, "{", 100000));
    CHECK(!plantgate_decision(&core, 100000).may_run);
    CHECK(plantgate_decision(&core, 130001).state == PLANTGATE_OVERRIDE);
    /* The command about a silence that is over changes nothing, and starts no new 60 s either. */
    CHECK(answer(&core, RUN, 140000));
    CHECK(answer(&core, STOP("Device not responding"), 150000));
    CHECK(plantgate_decision(&core, 150000).may_run && !plantgate_decision(&core, 150000).warning_light);
    CHECK(plantgate_decision(&core, 200001).state == PLANTGATE_OVERRIDE);
    CHECK(answer(&core, RUN, 210000));
    CHECK(answer(&core, STOP("Server error - grain unavailable"), 260000));
    CHECK(!plantgate_decision(&core, 260000).may_run && plantgate_decision(&core, 260000).warning_light);
    CHECK(plantgate_decision(&core, 270001).state == PLANTGATE_OVERRIDE);
    CHECK(answer(&core, RUN, 280000));
    CHECK(!answer(&core, "{", 280000));
    core.automatic_override = false;
    CHECK(plantgate_decision(&core, 340001).override_offered);
    CHECK(!plantgate_decision(&core, 340001).may_run);
}

static void check_pauses(void)
{
    static const uint32_t expected[] = {1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};
    plantgate_core core;
    size_t i;
    plantgate_start(&core, 60000, 0);
    for (i = 0; i < sizeof expected / sizeof expected[0]; i++) CHECK(plantgate_disconnected(&core) == expected[i]);
    /* A connection alone proves nothing: only an answer makes the pauses short again. */
    plantgate_connected(&core, 1);
    CHECK(plantgate_disconnected(&core) == 60000);
    CHECK(answer(&core, RUN, 2));
    CHECK(plantgate_disconnected(&core) == 1000);
}

static void check_answers(void)
{
    static const char *const good[] = {
        RUN,
        " { \"runEnabled\" : true , \"attentionNeeded\" : false } ",
        "{\"more\":{\"a\":[1,-2.5e3,null,{}]},\"runEnabled\":true,\"attentionNeeded\":false,\"list\":[]}",
        "{\"runEnabled\":true,\"attentionNeeded\":false,\"message\":\"\\u0041\\\\\\\"\\n\"}",
    };
    static const char *const bad[] = {
        "", " ", "true", "null", "[]", "{}", "{\"runEnabled\":true}", "{\"runEnabled\":1,\"attentionNeeded\":0}",
        "{\"runEnabled\":true,\"attentionNeeded\":false", "{\"runEnabled\":true,\"attentionNeeded\":false}x",
        "{\"runEnabled\":true,\"attentionNeeded\":false,}", "{\"runEnabled\":true \"attentionNeeded\":false}",
        "{\"runEnabled\":true,\"attentionNeeded\":false,\"message\":5}", "{\"runEnabled\":true,\"attentionNeeded\":nul",
        "{\"runEnabled\":true,\"attentionNeeded\":false,\"message\":\"\\u00", "{\"runEnabled",
        "{\"runEnabled\":true,\"attentionNeeded\":false,\"a\":[[[[[[1]]]]]]}",
        "{\"runEnabled\":true,\"attentionNeeded\":false,\"message\":\"\\x\"}",
    };
    plantgate_core core;
    size_t i, length;
    plantgate_start(&core, 60000, 0);
    for (i = 0; i < sizeof good / sizeof good[0]; i++) CHECK(answer(&core, good[i], 0));
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(answer(&core, RUN, 0));
        CHECK(!answer(&core, bad[i], 0));
        CHECK(!plantgate_decision(&core, 0).may_run && plantgate_decision(&core, 0).warning_light);
    }
    for (length = 0; length < strlen(RUN); length++) {
        char part[sizeof RUN];
        memcpy(part, RUN, length);
        part[length] = '\0';
        CHECK(!answer(&core, part, 0));
    }
}

static void check_status(void)
{
    plantgate_core core;
    plantgate_machine machine;
    char text[PLANTGATE_STATUS_SIZE];
    char small[100];
    memset(&machine, 0, sizeof machine);
    machine.machine_id = "RF-01";
    machine.ms_since_boot = UINT64_MAX;
    machine.user_id = "a\"b\\c\n";
    plantgate_start(&core, 60000, 0);
    CHECK(plantgate_status(&core, &machine, 0, text, sizeof text) == strlen(text));
    CHECK(strcmp(text, "{\"machineId\":\"RF-01\",\"running\":false,\"machinePower\":false,\"fault\":false,"
                       "\"override\":false,\"mSecSinceBoot\":18446744073709551615,\"cycle\":0,\"goodPart\":0,"
                       "\"badPart\":0,\"userId\":\"a\\\"b\\\\c \"}") == 0);
    CHECK(plantgate_status(&core, &machine, 0, small, sizeof small) == 0);
    CHECK(plantgate_status(&core, &machine, 60001, text, sizeof text) > 0);
    CHECK(strstr(text, "\"override\":true") != NULL);
    CHECK(plantgate_interval_ms(&machine) == 1000);
    machine.running = true;
    CHECK(plantgate_interval_ms(&machine) == 500);
}

/* Every beginning of a packet is incomplete, and a reader that is given noise stays in its bounds. */
static void check_packets(void)
{
    static const uint8_t command[] = {0x32, 7, 0, 1, 'c', 0, 9, '{', '}'};
    uint8_t packet[600];
    char payload[400];
    mqtt_connect_options options = {"RF-01", 60, "p/lwt", "false", NULL};
    mqtt_packet read;
    size_t i, round;
    for (i = 0; i < sizeof command; i++) CHECK(mqtt_read(command, i).kind == MQTT_INCOMPLETE);
    read = mqtt_read(command, sizeof command);
    CHECK(read.kind == MQTT_PUBLISH && read.packet_id == 9 && read.qos == 1 && read.length == sizeof command);
    CHECK(read.topic_length == 1 && read.topic[0] == 'c' && read.payload_length == 2 && read.payload[0] == '{');
    memset(payload, 'x', sizeof payload);
    payload[sizeof payload - 1] = '\0';
    CHECK(mqtt_publish(packet, sizeof packet, 7, "p/status", payload, false) == 3 + 2 + 8 + 2 + 399);
    read = mqtt_read(packet, sizeof packet);
    CHECK(read.kind == MQTT_PUBLISH && read.payload_length == 399);
    CHECK(mqtt_publish(packet, 100, 7, "p/status", payload, false) == 0);
    CHECK(mqtt_connect(packet, sizeof packet, &options) == 2 + 10 + 2 + 5 + 2 + 5 + 2 + 5);
    CHECK(packet[9] == 0x2c);
    options.password = "secret";
    CHECK(mqtt_connect(packet, sizeof packet, &options) == 2 + 10 + 2 + 5 + 2 + 5 + 2 + 5 + 2 + 5 + 2 + 6);
    CHECK(packet[9] == 0xec && memcmp(packet + 33, "\0\5RF-01\0\6secret", 15) == 0);
    srand(1);
    for (round = 0; round < 20000; round++) {
        const size_t length = (size_t)(rand() % 12);
        uint8_t *noise = malloc(length > 0 ? length : 1);
        for (i = 0; i < length; i++) noise[i] = (uint8_t)(rand() % 4 == 0 ? rand() : 0x30 + rand() % 16);
        read = mqtt_read(noise, length);
        if (read.kind != MQTT_INCOMPLETE && read.kind != MQTT_BROKEN && read.length > length) CHECK(false);
        free(noise);
    }
    passed++;
}

int main(void)
{
    check_decisions();
    check_pauses();
    check_answers();
    check_status();
    check_packets();
    printf("%d checks passed\n", passed);
    return 0;
}
