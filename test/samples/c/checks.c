/* Checks of the C sample's core, run by c.test.ts: every rule with its times, and input that is broken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqtt.h"
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

/* Every beginning of a packet is incomplete. */
static void check_packets(void)
{
    static const uint8_t command[] = {0x32, 7, 0, 1, 'c', 0, 9, '{', '}'};
    uint8_t packet[600];
    char payload[400];
    mqtt_connect_options options = {MQTT_3_1_1, 0, "RF-01", 60, "p/lwt", "false", NULL};
    mqtt_packet read;
    size_t i;
    for (i = 0; i < sizeof command; i++) CHECK(mqtt_read(command, i, MQTT_3_1_1).kind == MQTT_INCOMPLETE);
    read = mqtt_read(command, sizeof command, MQTT_3_1_1);
    CHECK(read.kind == MQTT_PUBLISH && read.packet_id == 9 && read.qos == 1 && read.length == sizeof command);
    CHECK(read.topic_length == 1 && read.topic[0] == 'c' && read.payload_length == 2 && read.payload[0] == '{');
    memset(payload, 'x', sizeof payload);
    payload[sizeof payload - 1] = '\0';
    CHECK(mqtt_publish(packet, sizeof packet, MQTT_3_1_1, 7, "p/status", payload, false) == 3 + 2 + 8 + 2 + 399);
    read = mqtt_read(packet, sizeof packet, MQTT_3_1_1);
    CHECK(read.kind == MQTT_PUBLISH && read.payload_length == 399);
    CHECK(mqtt_publish(packet, 100, MQTT_3_1_1, 7, "p/status", payload, false) == 0);
    CHECK(mqtt_connect(packet, sizeof packet, &options) == 2 + 10 + 2 + 5 + 2 + 5 + 2 + 5);
    CHECK(packet[9] == 0x2c);
    options.password = "secret";
    CHECK(mqtt_connect(packet, sizeof packet, &options) == 2 + 10 + 2 + 5 + 2 + 5 + 2 + 5 + 2 + 5 + 2 + 6);
    CHECK(packet[9] == 0xec && memcmp(packet + 33, "\0\5RF-01\0\6secret", 15) == 0);
}

/* A packet of MQTT 5 in a copy that ends where the packet ends. */
static mqtt_packet read_5(const uint8_t *bytes, size_t length)
{
    static uint8_t *copy;
    free(copy);
    copy = malloc(length > 0 ? length : 1);
    memcpy(copy, bytes, length);
    return mqtt_read(copy, length, MQTT_5);
}

static bool says(const mqtt_packet *packet, const char *sentence)
{
    const size_t length = strlen(sentence);
    return packet->reason_length == length && (length == 0 || memcmp(packet->reason, sentence, length) == 0);
}

static void check_writers_of_5(void)
{
    uint8_t packet[100];
    mqtt_connect_options options = {MQTT_5, 86400, "RF-01", 60, "p/lwt", "false", NULL};
    mqtt_packet read;
    CHECK(mqtt_connect(packet, sizeof packet, &options) == 2 + 10 + 6 + 2 + 5 + 1 + 2 + 5 + 2 + 5);
    CHECK(packet[8] == 5 && memcmp(packet + 12, "\5\x11\0\1\x51\x80\0\5RF-01\0\0\5p/lwt", 21) == 0);
    CHECK(mqtt_subscribe(packet, sizeof packet, MQTT_5, 3, "c") == 9);
    CHECK(memcmp(packet, "\x82\7\0\3\0\0\1c\1", 9) == 0);
    CHECK(mqtt_publish(packet, sizeof packet, MQTT_5, 7, "c", "{}", false) == 10);
    read = read_5(packet, 10);
    CHECK(read.kind == MQTT_PUBLISH && read.packet_id == 7 && read.payload_length == 2 && read.payload[1] == '}');
}

static void check_reasons_of_5(void)
{
    static const struct {
        const char *bytes;
        size_t length;
        mqtt_kind kind;
        uint8_t reason_code;
        const char *sentence;
    } cases[] = {
        {"\x40\2\0\7", 4, MQTT_PUBACK, 0, ""},
        {"\x40\3\0\7\x10", 5, MQTT_PUBACK, 0x10, ""},
        {"\x40\x9\0\7\x99\5\x1f\0\2no", 11, MQTT_PUBACK, 0x99, "no"},
        {"\x40\x10\0\7\0\xc\x26\0\1a\0\1b\x1f\0\2no", 18, MQTT_PUBACK, 0, "no"},
        {"\x20\x8\0\x86\5\x1f\0\2no", 10, MQTT_CONNACK, 0x86, "no"},
        {"\x20\xd\0\0\xa\x21\0\1\x27\0\0\1\0\x24\1", 15, MQTT_CONNACK, 0, ""},
        {"\x20\2\0\x84", 4, MQTT_CONNACK, 0x84, ""}, /* as a server of 3.1.1 refuses */
        {"\x90\x9\0\7\5\x1f\0\2no\x87", 11, MQTT_SUBACK, 0x87, "no"},
        {"\x90\4\0\7\0\1", 6, MQTT_SUBACK, 1, ""},
        {"\xe0\0", 2, MQTT_DISCONNECT, 0, ""},
        {"\xe0\7\x8e\5\x1f\0\2no", 9, MQTT_DISCONNECT, 0x8e, "no"},
    };
    size_t i, length;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t *bytes = (const uint8_t *)cases[i].bytes;
        const mqtt_packet read = read_5(bytes, cases[i].length);
        CHECK(read.kind == cases[i].kind && read.length == cases[i].length);
        CHECK(read.reason_code == cases[i].reason_code && says(&read, cases[i].sentence));
        CHECK(read.is_accepted == (cases[i].reason_code < 0x80));
        for (length = 0; length < cases[i].length; length++) CHECK(read_5(bytes, length).kind == MQTT_INCOMPLETE);
    }
    /* Properties that reach behind the packet, a property that MQTT does not have, and bytes that are too many. */
    CHECK(read_5((const uint8_t *)"\x40\x9\0\7\x99\6\x1f\0\2no", 11).kind == MQTT_BROKEN);
    CHECK(read_5((const uint8_t *)"\x40\x9\0\7\x99\5\x1f\0\3no", 11).kind == MQTT_BROKEN);
    CHECK(read_5((const uint8_t *)"\x40\6\0\7\x99\2\x7f\0", 8).kind == MQTT_BROKEN);
    CHECK(read_5((const uint8_t *)"\x40\5\0\7\x99\0\0", 7).kind == MQTT_BROKEN);
    CHECK(mqtt_read((const uint8_t *)"\xe0\0", 2, MQTT_3_1_1).kind == MQTT_BROKEN);
    CHECK(mqtt_read((const uint8_t *)"\x40\3\0\7\0", 5, MQTT_3_1_1).kind == MQTT_BROKEN);
}

static void check_commands_of_5(void)
{
    static const char command[] = "\x32\xf\0\1c\0\x9\7\2\0\0\0\x3c\xb\5{}";
    const mqtt_packet read = read_5((const uint8_t *)command, sizeof command - 1);
    CHECK(read.kind == MQTT_PUBLISH && read.packet_id == 9 && read.payload_length == 2 && read.payload[0] == '{');
}

/* A reader that is given noise stays in its bounds. */
static void check_noise(mqtt_version version)
{
    size_t i, round;
    srand(1);
    for (round = 0; round < 20000; round++) {
        const size_t length = (size_t)(rand() % 24);
        uint8_t *noise = malloc(length > 0 ? length : 1);
        mqtt_packet read;
        for (i = 0; i < length; i++) noise[i] = (uint8_t)(rand() % 4 == 0 ? rand() : 0x10 + rand() % 48);
        if (length > 0) noise[0] = (uint8_t)(rand() % 16 << 4);
        if (length > 1) noise[1] = (uint8_t)(rand() % length);
        read = mqtt_read(noise, length, version);
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
    check_writers_of_5();
    check_reasons_of_5();
    check_commands_of_5();
    check_noise(MQTT_3_1_1);
    check_noise(MQTT_5);
    printf("%d checks passed\n", passed);
    return 0;
}
