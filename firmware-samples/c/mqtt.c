/* See mqtt.h. MQTT 3.1.1 and 5 are OASIS Standards mqtt-v3.1.1 and mqtt-v5.0. */
#include "mqtt.h"

#include <string.h>

#define MAX_REMAINING 16383u /* two bytes of length are enough for everything here */

/* Ids of properties of MQTT 5 */
#define SESSION_EXPIRY_INTERVAL 0x11u
#define REASON_STRING 0x1fu

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

static void put_32(writer *out, uint32_t number)
{
    put_16(out, number >> 16);
    put_16(out, number & 0xffffu);
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

/* MQTT 5 alone has properties: here it says that there are none. */
static void put_no_properties(writer *out, mqtt_version version)
{
    if (version == MQTT_5) put(out, 0);
}

static size_t no_properties_size(mqtt_version version)
{
    return version == MQTT_5 ? 1 : 0;
}

static size_t finish(const writer *out)
{
    return out->length <= out->size ? out->length : 0;
}

size_t mqtt_connect(uint8_t *packet, size_t size, const mqtt_connect_options *options)
{
    const bool has_password = options->password != NULL;
    const bool is_5 = options->version == MQTT_5;
    size_t remaining = 10 + 2 + strlen(options->client_id) + 2 + strlen(options->will_topic) + 2 +
                       strlen(options->will_payload);
    writer out;
    if (has_password) remaining += 2 + strlen(options->client_id) + 2 + strlen(options->password);
    if (is_5) remaining += 1 + 1 + 4 + 1;
    out = begin(packet, size, 0x10, remaining);
    put_string(&out, "MQTT");
    put(&out, options->version);         /* the protocol level is 4 or 5 */
    /* A will, with QoS 1, retained; Clean Session false; a user name and a password. */
    put(&out, 0x04 | 0x08 | 0x20 | (has_password ? 0x80 | 0x40 : 0));
    put_16(&out, options->keep_alive_s);
    if (is_5) {
        put(&out, 1 + 4); /* length of the properties */
        put(&out, SESSION_EXPIRY_INTERVAL);
        put_32(&out, options->session_expiry_s);
    }
    put_string(&out, options->client_id);
    put_no_properties(&out, options->version); /* of the will */
    put_string(&out, options->will_topic);
    put_string(&out, options->will_payload);
    if (has_password) {
        put_string(&out, options->client_id);
        put_string(&out, options->password);
    }
    return finish(&out);
}

size_t mqtt_subscribe(uint8_t *packet, size_t size, mqtt_version version, uint16_t packet_id, const char *topic)
{
    writer out = begin(packet, size, 0x82, 2 + no_properties_size(version) + 2 + strlen(topic) + 1);
    put_16(&out, packet_id);
    put_no_properties(&out, version);
    put_string(&out, topic);
    put(&out, 1); /* QoS */
    return finish(&out);
}

size_t mqtt_publish(uint8_t *packet, size_t size, mqtt_version version, uint16_t packet_id, const char *topic,
                    const char *payload, bool is_retained)
{
    writer out = begin(packet, size, 0x32u | (is_retained ? 1u : 0u),
                       2 + strlen(topic) + 2 + no_properties_size(version) + strlen(payload));
    put_string(&out, topic);
    put_16(&out, packet_id);
    put_no_properties(&out, version);
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

/* The body of a packet. Once it is too short it gives zeros, and stays so. */
typedef struct {
    const uint8_t *bytes;
    size_t left;
    bool is_short;
} reader;

/* The next bytes, or NULL. */
static const uint8_t *take(reader *in, size_t count)
{
    const uint8_t *bytes = in->bytes;
    if (in->is_short || count > in->left) {
        in->is_short = true;
        in->left = 0;
        return NULL;
    }
    in->bytes += count;
    in->left -= count;
    return bytes;
}

static uint8_t take_byte(reader *in)
{
    const uint8_t *bytes = take(in, 1);
    return bytes == NULL ? 0 : bytes[0];
}

static uint16_t take_16(reader *in)
{
    const uint8_t *bytes = take(in, 2);
    return bytes == NULL ? 0 : (uint16_t)((bytes[0] << 8) | bytes[1]);
}

static const char *take_string(reader *in, size_t *length)
{
    *length = take_16(in);
    return (const char *)take(in, *length);
}

/* A number in one to four bytes of seven bits each. */
static size_t take_variable(reader *in)
{
    size_t number = 0;
    unsigned shift, byte;
    for (shift = 0; shift <= 21; shift += 7) {
        byte = take_byte(in);
        number |= (size_t)(byte & 0x7fu) << shift;
        if (byte < 0x80u) return number;
    }
    in->is_short = true;
    return 0;
}

static void skip_string(reader *in)
{
    size_t length;
    take_string(in, &length);
}

/* One property: the Reason String is kept, the others are passed over. */
static void take_property(reader *in, mqtt_packet *packet)
{
    switch (take_byte(in)) {
    case REASON_STRING:
        packet->reason = take_string(in, &packet->reason_length);
        break;
    case 0x26: /* User Property: a name and a value */
        skip_string(in);
        skip_string(in);
        break;
    case 0x03: case 0x08: case 0x09: case 0x12: case 0x15: case 0x16: case 0x1a: case 0x1c:
        skip_string(in);
        break;
    case 0x01: case 0x24: case 0x25: case 0x28: case 0x29: case 0x2a:
        take(in, 1);
        break;
    case 0x13: case 0x21: case 0x22: case 0x23:
        take(in, 2);
        break;
    case 0x02: case SESSION_EXPIRY_INTERVAL: case 0x27:
        take(in, 4);
        break;
    case 0x0b: /* Subscription Identifier */
        take_variable(in);
        break;
    default:
        in->is_short = true; /* no server sends another one */
    }
}

static void take_properties(reader *in, mqtt_packet *packet)
{
    reader properties;
    properties.left = take_variable(in);
    properties.is_short = false;
    properties.bytes = take(in, properties.left);
    if (in->is_short) return;
    while (properties.left > 0 && !properties.is_short) take_property(&properties, packet);
    in->is_short = properties.is_short;
}

/* MQTT 5 leaves out a reason that is 0, and properties that are none. */
static void take_reason(reader *in, mqtt_packet *packet)
{
    if (in->left > 0) packet->reason_code = take_byte(in);
    if (in->left > 0) take_properties(in, packet);
}

static mqtt_packet only(mqtt_kind kind)
{
    mqtt_packet packet;
    memset(&packet, 0, sizeof packet);
    packet.kind = kind;
    return packet;
}

static void take_publish(reader *in, mqtt_packet *packet, unsigned flags, mqtt_version version)
{
    packet->qos = (uint8_t)((flags >> 1) & 3u);
    packet->topic = take_string(in, &packet->topic_length);
    if (packet->qos > 0) packet->packet_id = take_16(in);
    if (version == MQTT_5) take_properties(in, packet);
    packet->payload_length = in->left;
    packet->payload = (const char *)take(in, in->left);
    if (packet->qos > 1) in->is_short = true; /* nothing here asks for QoS 2 */
}

/* Reads the body of a packet whose kind is known; false: it is no MQTT. */
static bool take_body(reader *in, mqtt_packet *packet, unsigned flags, mqtt_version version)
{
    switch (packet->kind) {
    case MQTT_PUBLISH:
        take_publish(in, packet, flags, version);
        break;
    case MQTT_CONNACK:
        take_byte(in);
        packet->reason_code = take_byte(in);
        if (version == MQTT_5 && in->left > 0) take_properties(in, packet);
        break;
    case MQTT_PUBACK:
        packet->packet_id = take_16(in);
        if (version == MQTT_5) take_reason(in, packet);
        break;
    case MQTT_SUBACK:
        packet->packet_id = take_16(in);
        if (version == MQTT_5) take_properties(in, packet);
        packet->reason_code = take_byte(in);
        break;
    case MQTT_DISCONNECT:
        if (version != MQTT_5) return false;
        take_reason(in, packet);
        break;
    case MQTT_PINGRESP:
        break;
    default:
        return false;
    }
    packet->is_accepted = packet->kind == MQTT_CONNACK ? packet->reason_code == 0 : packet->reason_code < 0x80;
    return !in->is_short && in->left == 0;
}

mqtt_packet mqtt_read(const uint8_t *bytes, size_t length, mqtt_version version)
{
    size_t remaining = 0, header = 1;
    mqtt_packet packet;
    reader body;
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
    body.bytes = bytes + header;
    body.left = remaining;
    body.is_short = false;
    return take_body(&body, &packet, bytes[0] & 0x0fu, version) ? packet : only(MQTT_BROKEN);
}
