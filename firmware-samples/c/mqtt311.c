/* See mqtt311.h. MQTT 3.1.1 is OASIS Standard mqtt-v3.1.1. */
#include "mqtt311.h"

#include <string.h>

#define MAX_REMAINING 16383u /* two bytes of length are enough for everything here */

/* ---- Writing ------------------------------------------------------------------------------------------------ */

typedef struct {
    uint8_t *bytes;
    size_t size;
    size_t length;
} writer;

static void put(writer *out, unsigned byte)
{
    if (out->length < out->size) out->bytes[out->length] = (uint8_t)byte;
    out->length++;
}

static void put_16(writer *out, size_t number)
{
    put(out, (unsigned)(number >> 8) & 0xffu);
    put(out, (unsigned)number & 0xffu);
}

static void put_text(writer *out, const char *text)
{
    size_t i;
    for (i = 0; text[i] != '\0'; i++) put(out, (unsigned char)text[i]);
}

/* A text with its length before it. */
static void put_string(writer *out, const char *text)
{
    put_16(out, strlen(text));
    put_text(out, text);
}

static writer begin(uint8_t *packet, size_t size, unsigned first_byte, size_t remaining)
{
    writer out;
    out.bytes = packet;
    out.size = remaining > MAX_REMAINING ? 0 : size;
    out.length = 0;
    put(&out, first_byte);
    if (remaining > 127) {
        put(&out, (unsigned)(remaining & 0x7fu) | 0x80u);
        put(&out, (unsigned)(remaining >> 7));
    } else {
        put(&out, (unsigned)remaining);
    }
    return out;
}

static size_t finish(const writer *out)
{
    return out->length <= out->size ? out->length : 0;
}

size_t mqtt_connect(uint8_t *packet, size_t size, const mqtt_connect_options *options)
{
    const bool has_password = options->password != NULL;
    size_t remaining = 10 + 2 + strlen(options->client_id) + 2 + strlen(options->will_topic) + 2 +
                       strlen(options->will_payload);
    writer out;
    if (has_password) remaining += 2 + strlen(options->client_id) + 2 + strlen(options->password);
    out = begin(packet, size, 0x10, remaining);
    put_string(&out, "MQTT");
    put(&out, 4);                        /* protocol level of 3.1.1 */
    /* A will, with QoS 1, retained; Clean Session false; a user name and a password. */
    put(&out, 0x04 | 0x08 | 0x20 | (has_password ? 0x80 | 0x40 : 0));
    put_16(&out, options->keep_alive_s);
    put_string(&out, options->client_id);
    put_string(&out, options->will_topic);
    put_string(&out, options->will_payload);
    if (has_password) {
        put_string(&out, options->client_id);
        put_string(&out, options->password);
    }
    return finish(&out);
}

size_t mqtt_subscribe(uint8_t *packet, size_t size, uint16_t packet_id, const char *topic)
{
    writer out = begin(packet, size, 0x82, 2 + 2 + strlen(topic) + 1);
    put_16(&out, packet_id);
    put_string(&out, topic);
    put(&out, 1); /* QoS */
    return finish(&out);
}

size_t mqtt_publish(uint8_t *packet, size_t size, uint16_t packet_id, const char *topic, const char *payload,
                    bool is_retained)
{
    writer out = begin(packet, size, 0x32u | (is_retained ? 1u : 0u), 2 + strlen(topic) + 2 + strlen(payload));
    put_string(&out, topic);
    put_16(&out, packet_id);
    put_text(&out, payload);
    return finish(&out);
}

size_t mqtt_puback(uint8_t *packet, size_t size, uint16_t packet_id)
{
    writer out = begin(packet, size, 0x40, 2);
    put_16(&out, packet_id);
    return finish(&out);
}

size_t mqtt_pingreq(uint8_t *packet, size_t size)
{
    const writer out = begin(packet, size, 0xc0, 0);
    return finish(&out);
}

size_t mqtt_disconnect(uint8_t *packet, size_t size)
{
    const writer out = begin(packet, size, 0xe0, 0);
    return finish(&out);
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static mqtt_packet only(mqtt_kind kind)
{
    mqtt_packet packet;
    memset(&packet, 0, sizeof packet);
    packet.kind = kind;
    return packet;
}

static uint16_t number_at(const uint8_t *bytes)
{
    return (uint16_t)((bytes[0] << 8) | bytes[1]);
}

static mqtt_packet read_publish(mqtt_packet packet, unsigned flags, const uint8_t *body, size_t length)
{
    size_t at;
    packet.qos = (uint8_t)((flags >> 1) & 3u);
    if (packet.qos > 1 || length < 2) return only(MQTT_BROKEN); /* nothing here asks for QoS 2 */
    packet.topic_length = number_at(body);
    at = 2 + packet.topic_length + (packet.qos > 0 ? 2u : 0u);
    if (at > length) return only(MQTT_BROKEN);
    packet.topic = (const char *)body + 2;
    if (packet.qos > 0) packet.packet_id = number_at(body + at - 2);
    packet.payload = (const char *)body + at;
    packet.payload_length = length - at;
    return packet;
}

mqtt_packet mqtt_read(const uint8_t *bytes, size_t length)
{
    size_t remaining = 0, header = 1;
    mqtt_packet packet;
    const uint8_t *body;
    unsigned shift = 0;
    do {
        if (header >= length) return only(MQTT_INCOMPLETE);
        if (shift > 7) return only(MQTT_BROKEN);
        remaining |= (size_t)(bytes[header] & 0x7fu) << shift;
        shift += 7;
    } while (bytes[header++] & 0x80u);
    if (length < header + remaining) return only(MQTT_INCOMPLETE);

    packet = only((mqtt_kind)(bytes[0] >> 4));
    packet.length = header + remaining;
    body = bytes + header;
    switch (packet.kind) {
    case MQTT_PUBLISH:
        return read_publish(packet, bytes[0] & 0x0fu, body, remaining);
    case MQTT_CONNACK:
        if (remaining != 2) return only(MQTT_BROKEN);
        packet.is_accepted = body[1] == 0;
        return packet;
    case MQTT_PUBACK:
        if (remaining != 2) return only(MQTT_BROKEN);
        packet.packet_id = number_at(body);
        return packet;
    case MQTT_SUBACK:
        if (remaining != 3) return only(MQTT_BROKEN);
        packet.packet_id = number_at(body);
        packet.is_accepted = body[2] < 0x80;
        return packet;
    case MQTT_PINGRESP:
        return packet;
    default:
        return only(MQTT_BROKEN);
    }
}
