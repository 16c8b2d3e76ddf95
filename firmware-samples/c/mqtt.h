/*
 * The few packets of MQTT 3.1.1 and 5 that a device needs: it writes them into a buffer, and takes them out of the bytes
 * that came. Portable C99, without allocation and without sockets. Use your controller's MQTT library instead, if it has
 * one.
 */
#ifndef MQTT_H
#define MQTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writers return the length of the packet, or 0 if it does not fit into `size`. */

/* With 5 the broker says why it refuses a message. Its number is the protocol level. */
typedef enum { MQTT_3_1_1 = 4, MQTT_5 = 5 } mqtt_version;

typedef struct {
    mqtt_version version;
    uint32_t session_expiry_s; /* of 5: how long the broker keeps the session of a device that is away */
    const char *client_id;     /* the machineId */
    uint16_t keep_alive_s;     /* 60 */
    const char *will_topic;    /* root/lwt; the broker publishes the will when the device is lost */
    const char *will_payload;  /* "false"; it is sent with QoS 1 and retained */
    const char *password;      /* NULL: none. The user name is the client id: the gateway takes any */
} mqtt_connect_options;

/* Clean Session, which 5 calls Clean Start, is false. */
size_t mqtt_connect(uint8_t *packet, size_t size, const mqtt_connect_options *options);
/* These have QoS 1. */
size_t mqtt_subscribe(uint8_t *packet, size_t size, mqtt_version version, uint16_t packet_id, const char *topic);
size_t mqtt_publish(uint8_t *packet, size_t size, mqtt_version version, uint16_t packet_id, const char *topic,
                    const char *payload, bool is_retained);
/* These are the same in both versions. */
size_t mqtt_puback(uint8_t *packet, size_t size, uint16_t packet_id);
size_t mqtt_pingreq(uint8_t *packet, size_t size);
size_t mqtt_disconnect(uint8_t *packet, size_t size);

typedef enum {
    MQTT_INCOMPLETE = 0, /* more bytes have to come */
    MQTT_BROKEN = -1,    /* these bytes are no MQTT: close the connection */
    MQTT_CONNACK = 2,
    MQTT_PUBLISH = 3,
    MQTT_PUBACK = 4,
    MQTT_SUBACK = 9,
    MQTT_PINGRESP = 13,
    MQTT_DISCONNECT = 14 /* of 5: the broker closes the connection, and says why */
} mqtt_kind;

typedef struct {
    mqtt_kind kind;
    size_t length;        /* bytes that the packet takes; drop so many from the front */
    bool is_accepted;     /* of CONNACK, SUBACK and PUBACK; with 3.1.1 a PUBACK never refuses */
    uint8_t reason_code;  /* of these and DISCONNECT: 0x99 is a payload that the gateway refuses */
    uint8_t qos;          /* of PUBLISH */
    uint16_t packet_id;   /* of PUBLISH with QoS 1, PUBACK and SUBACK */
    const char *reason;   /* of 5: a sentence that explains the code, or NULL */
    size_t reason_length;
    const char *topic;    /* of PUBLISH. These texts point into the bytes, and no zero ends them */
    size_t topic_length;
    const char *payload;
    size_t payload_length;
} mqtt_packet;

/* Reads the packet at the front of the bytes that came. */
mqtt_packet mqtt_read(const uint8_t *bytes, size_t length, mqtt_version version);

#endif
