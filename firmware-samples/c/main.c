/*
 * A whole device for Linux and other POSIX systems: plantgate.c and mqtt.c, a socket, and a machine that is
 * simulated. Replace the functions of the section "Your machine" and keep the rest.
 *
 *   cc -std=c99 -o device main.c plantgate.c mqtt.c
 *   GATEWAY_HOST=192.168.1.10 MACHINE_ID=RF-01 TOPIC_ROOT=plant1/rollformer-1 ./device
 *
 * MQTT_VERSION=5 speaks MQTT 5: then the program prints why the gateway refuses a message.
 */
#define _POSIX_C_SOURCE 200112L
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mqtt.h"
#include "plantgate.h"

#define KEEP_ALIVE_S 60
#define SESSION_EXPIRY_S 86400u /* of MQTT 5; the gateway keeps a session of 3.1.1 for a week */
#define CONNECT_TIMEOUT_MS 5000
#define LEAVE_TIMEOUT_MS 1000
#define TICK_MS 20
#define TOPIC_SIZE 128

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : otherwise;
}

static uint64_t now_ms(void)
{
    struct timespec time;
    /* A clock that cannot be set: the time of day may jump. */
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000u + (uint64_t)time.tv_nsec / 1000000u;
}

/* ---- Your machine ------------------------------------------------------------------------------------------- */

static plantgate_machine machine;
static uint64_t boot_ms;
static uint64_t last_cycle_ms;

static void start_machine(void)
{
    memset(&machine, 0, sizeof machine);
    machine.machine_id = setting("MACHINE_ID", "RF-01");
    machine.part_id = getenv("PART_ID"); /* may be left out: then a person selects the part on the page */
    boot_ms = now_ms();
}

/* Reads inputs and counters. Here: the operator starts the machine whenever it may run; each cycle makes one part.
   open_connection() may wait 5 s for the network, and this is not called meanwhile: count pulses elsewhere (a counter
   module, an interrupt, a thread), and only read the totals here. */
static void read_machine(bool may_run)
{
    const uint64_t now = now_ms();
    machine.ms_since_boot = now - boot_ms;
    machine.machine_power = true;
    machine.running = may_run;
    if (!may_run || now - last_cycle_ms < 200) return;
    last_cycle_ms = now;
    machine.cycle++;
    machine.good_part++;
}

/* Sets outputs. Here: prints them when they change. */
static void show_decision(const plantgate_decision_t *decision)
{
    static char shown[256];
    char line[256];
    snprintf(line, sizeof line, "run=%d light=%d override=%d message=%s", decision->may_run, decision->warning_light,
             decision->override_light, decision->message);
    if (strcmp(line, shown) == 0) return;
    memcpy(shown, line, sizeof shown);
    puts(line);
    fflush(stdout);
}

/* ---- The connection ----------------------------------------------------------------------------------------- */

static plantgate_core core;
static int connection = -1;
static mqtt_version version = MQTT_3_1_1;
static uint8_t received[2048];
static size_t received_length;
static uint16_t last_packet_id;
static uint64_t last_sent_ms;
static volatile sig_atomic_t is_ending;

static void end(int signal_number)
{
    (void)signal_number;
    is_ending = 1;
}

static const char *topic(const char *name)
{
    static char text[TOPIC_SIZE];
    snprintf(text, sizeof text, "%s/%s", setting("TOPIC_ROOT", "plant1/rollformer-1"), name);
    return text;
}

static bool wait_for(short events, int timeout_ms)
{
    struct pollfd wanted;
    wanted.fd = connection;
    wanted.events = events;
    wanted.revents = 0;
    return poll(&wanted, 1, timeout_ms) > 0;
}

/* Sends a whole packet. Where the network takes nothing for 5 s the connection counts as lost. */
static bool send_packet(const uint8_t *packet, size_t length)
{
    size_t sent = 0;
    if (length == 0) return false;
    while (sent < length) {
        const ssize_t count = send(connection, packet + sent, length - sent, 0);
        if (count > 0) sent += (size_t)count;
        else if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (!wait_for(POLLOUT, CONNECT_TIMEOUT_MS)) return false;
        } else return false;
    }
    last_sent_ms = now_ms();
    return true;
}

static uint16_t next_packet_id(void)
{
    if (++last_packet_id == 0) last_packet_id = 1;
    return last_packet_id;
}

/* QoS 1. A status that was lost is not sent again: the next one has all its counters. */
static bool publish(const char *name, const char *payload, bool is_retained)
{
    uint8_t packet[PLANTGATE_STATUS_SIZE + TOPIC_SIZE + 16];
    const uint16_t id = next_packet_id();
    return send_packet(packet, mqtt_publish(packet, sizeof packet, version, id, topic(name), payload, is_retained));
}

static bool open_socket(void)
{
    struct addrinfo wanted, *found;
    int fault = 0;
    socklen_t size = sizeof fault;
    memset(&wanted, 0, sizeof wanted);
    wanted.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(setting("GATEWAY_HOST", "127.0.0.1"), setting("GATEWAY_PORT", "1883"), &wanted, &found) != 0)
        return false;
    connection = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (connection >= 0) {
        fcntl(connection, F_SETFL, O_NONBLOCK);
        if (connect(connection, found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) fault = errno;
    }
    freeaddrinfo(found);
    if (connection < 0 || fault != 0 || !wait_for(POLLOUT, CONNECT_TIMEOUT_MS)) return false;
    return getsockopt(connection, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && fault == 0;
}

static void close_socket(void)
{
    if (connection >= 0) close(connection);
    connection = -1;
    received_length = 0;
}

/* Says that the device leaves, and reads on until the gateway closes: a close with unread data resets the connection, and
   the reset can overtake the DISCONNECT. */
static void leave(void)
{
    uint8_t packet[2];
    const uint64_t from_ms = now_ms();
    uint64_t passed_ms = 0;
    publish("online", "false", true);
    send_packet(packet, mqtt_disconnect(packet, sizeof packet));
    shutdown(connection, SHUT_WR);
    while (passed_ms < LEAVE_TIMEOUT_MS && wait_for(POLLIN, (int)(LEAVE_TIMEOUT_MS - passed_ms)) &&
           recv(connection, received, sizeof received, 0) > 0)
        passed_ms = now_ms() - from_ms;
}

static bool open_connection(void)
{
    char will_topic[TOPIC_SIZE];
    uint8_t packet[512];
    mqtt_connect_options options;
    strcpy(will_topic, topic("lwt"));
    options.version = version;
    options.session_expiry_s = SESSION_EXPIRY_S;
    options.client_id = machine.machine_id;
    options.keep_alive_s = KEEP_ALIVE_S;
    options.will_topic = will_topic;
    options.will_payload = "false";
    options.password = setting("MQTT_PASSWORD", NULL); /* the machine's mqttPassword, with mqtt.access: password */
    return open_socket() && send_packet(packet, mqtt_connect(packet, sizeof packet, &options));
}

/* The session may still have subscriptions of an older program under this client id: they count for nothing. */
static bool is_command(const mqtt_packet *packet)
{
    const char *wanted = topic("command");
    return packet->topic_length == strlen(wanted) && memcmp(packet->topic, wanted, packet->topic_length) == 0;
}

/* Prints what the gateway says about a message or a connection. Write it to your log instead. */
static void show_reason(const char *what, const mqtt_packet *packet)
{
    if (packet->is_accepted && packet->reason_length == 0) return;
    printf("gateway: %s: 0x%02X: %.*s\n", what, packet->reason_code, (int)packet->reason_length,
           packet->reason == NULL ? "" : packet->reason);
    fflush(stdout);
}

/* Acts on one packet; false: the connection is unusable. */
static bool take_packet(const mqtt_packet *packet)
{
    uint8_t reply[TOPIC_SIZE + 16];
    switch (packet->kind) {
    case MQTT_CONNACK:
        show_reason("connection", packet);
        if (!packet->is_accepted) return false;
        plantgate_connected(&core, now_ms());
        return send_packet(reply, mqtt_subscribe(reply, sizeof reply, version, next_packet_id(), topic("command"))) &&
               publish("online", "true", true);
    case MQTT_PUBLISH:
        if (is_command(packet)) plantgate_answer(&core, packet->payload, packet->payload_length, now_ms());
        return packet->qos == 0 || send_packet(reply, mqtt_puback(reply, sizeof reply, packet->packet_id));
    case MQTT_PUBACK:
        show_reason("message", packet);
        return true;
    case MQTT_DISCONNECT:
        show_reason("connection", packet);
        return false;
    case MQTT_SUBACK:
        show_reason("subscription", packet);
        return packet->is_accepted;
    default:
        return packet->kind != MQTT_BROKEN;
    }
}

/* Takes in what has come. */
static bool receive(void)
{
    for (;;) {
        mqtt_packet packet;
        const ssize_t count = recv(connection, received + received_length, sizeof received - received_length, 0);
        if (count < 0) return errno == EAGAIN || errno == EINTR;
        if (count == 0) return false; /* closed, or a packet longer than any command */
        received_length += (size_t)count;
        while ((packet = mqtt_read(received, received_length, version)).kind != MQTT_INCOMPLETE) {
            if (!take_packet(&packet)) return false;
            received_length -= packet.length;
            memmove(received, received + packet.length, received_length);
        }
    }
}

static bool send_status(void)
{
    char text[PLANTGATE_STATUS_SIZE];
    if (plantgate_status(&core, &machine, now_ms(), text, sizeof text) == 0) return false;
    return publish("status", text, false);
}

int main(void)
{
    uint64_t next_try_ms = 0, next_status_ms = 0;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, end);
    signal(SIGINT, end);
    if (strcmp(setting("MQTT_VERSION", "3.1.1"), "5") == 0) version = MQTT_5;
    start_machine();
    plantgate_start(&core, (uint32_t)atol(setting("OVERRIDE_AFTER_MS", "60000")), now_ms());

    while (!is_ending) {
        const plantgate_decision_t decision = plantgate_decision(&core, now_ms());
        bool works = true;
        read_machine(decision.may_run);
        show_decision(&decision);
        if (connection < 0 && now_ms() >= next_try_ms) works = open_connection();
        if (connection >= 0 && works) works = receive() && !plantgate_is_silent(&core, now_ms());
        if (works && core.connected && now_ms() >= next_status_ms) {
            works = send_status();
            next_status_ms = now_ms() + plantgate_interval_ms(&machine);
        }
        /* CONNACK is late, too: the gateway answers within milliseconds. */
        if (works && connection >= 0 && !core.connected && now_ms() - last_sent_ms > CONNECT_TIMEOUT_MS) works = false;
        if (!works) {
            close_socket();
            next_try_ms = now_ms() + plantgate_disconnected(&core);
        }
        poll(NULL, 0, TICK_MS);
    }

    /* A device that leaves says so itself; its will is for the day when it cannot. */
    if (core.connected) leave();
    close_socket();
    return 0;
}
