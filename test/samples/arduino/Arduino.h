/* The parts of Arduino, WiFi and PubSubClient that the ESP32 sample uses, on Linux: pins are a simulated machine that
   runs while it may, and the client speaks real MQTT with the packets of the C sample. */
#pragma once
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <netdb.h>
#include <time.h>
#include <unistd.h>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

extern "C" {
#include "mqtt.h"
}

struct String : std::string {
  String() = default;
  String(const char *text) : std::string(text) {}
  String(const std::string &text) : std::string(text) {}
  explicit String(int number) : std::string(std::to_string(number)) {}
};

enum { LOW, HIGH, INPUT_PULLDOWN, OUTPUT, CHANGE, WL_CONNECTED = 3 };
#define IRAM_ATTR

/* Starts shortly before it overflows, as after 49 days. */
inline uint32_t millis() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  const uint64_t now = uint64_t(time.tv_sec) * 1000 + uint64_t(time.tv_nsec) / 1000000;
  static const uint64_t first = now;
  return uint32_t(now - first + 0xfffff000u);
}

inline std::atomic<int> outputs[64];
inline void pinMode(int pin, int mode) {
  if (pin >= 34 && mode == INPUT_PULLDOWN) abort(); /* inputs only, without a pull-down */
}
inline void digitalWrite(int pin, int level) { outputs[pin] = level; }
/* The machine runs while pin 25 lets it, with a pulse of a cycle every 200 ms. */
inline int digitalRead(int pin) {
  if (pin == 32) return outputs[25];
  if (pin == 33) return outputs[25] == HIGH && millis() / 100 % 2 == 0 ? HIGH : LOW;
  return LOW;
}
inline void delay(int ms) { poll(nullptr, 0, ms); }

inline int digitalPinToInterrupt(int pin) { return pin; }
/* An interrupt comes while loop() waits, too: here from a thread that watches the pin. */
inline void attachInterrupt(int pin, void (*handler)(), int) {
  std::thread([pin, handler] {
    for (int before = LOW;; delay(5)) {
      const int now = digitalRead(pin);
      if (now != before) handler();
      before = now;
    }
  }).detach();
}

struct SerialPort {
  void begin(int) {}
  void println(const String &line) {
    puts(line.c_str());
    fflush(stdout);
  }
};
inline SerialPort Serial;

struct WiFiStation {
  void begin(const char *, const char *) {}
  int status() { return WL_CONNECTED; }
};
inline WiFiStation WiFi;
struct WiFiClient {};

class PubSubClient {
 public:
  explicit PubSubClient(WiFiClient &) {}
  void setServer(const char *name, int number) {
    host = name;
    port = number;
  }
  void setKeepAlive(uint16_t seconds) { keepAlive = seconds; }
  void setSocketTimeout(uint16_t) {}
  void setBufferSize(uint16_t bytes) { size = bytes; }
  void setCallback(void (*taker)(char *, uint8_t *, unsigned int)) { take = taker; }

  bool connect(const char *id, const char *user, const char *password, const char *willTopic, uint8_t willQos, bool willRetain,
               const char *will, bool cleanSession) {
    if (willQos != 1 || !willRetain || cleanSession || !user || !open()) return false;
    const mqtt_connect_options options = {MQTT_3_1_1, 0, id, keepAlive, willTopic, will, password};
    uint8_t packet[512];
    if (!send(packet, mqtt_connect(packet, sizeof packet, &options))) return false;
    /* As the library does: waits for CONNACK. */
    for (int i = 0; i < 500 && !accepted; i++) {
      if (!receive()) return false;
      delay(10);
    }
    return accepted;
  }
  bool subscribe(const char *topic, uint8_t) {
    uint8_t packet[256];
    return send(packet, mqtt_subscribe(packet, sizeof packet, MQTT_3_1_1, 1, topic));
  }
  bool publish(const char *topic, const char *payload, bool isRetained) {
    uint8_t packet[2048];
    const size_t length = mqtt_publish(packet, sizeof packet, MQTT_3_1_1, 2, topic, payload, isRetained);
    return length <= size && send(packet, length);
  }
  bool loop() { return fd >= 0 && receive(); }
  void disconnect() {
    if (fd >= 0) close(fd);
    fd = -1;
  }

 private:
  const char *host = "";
  int port = 0, fd = -1;
  uint16_t keepAlive = 15, size = 256;
  void (*take)(char *, uint8_t *, unsigned int) = nullptr;
  bool accepted = false;
  uint8_t buffer[2048];
  size_t length = 0;

  bool open() {
    addrinfo wanted = {}, *found = nullptr;
    wanted.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, std::to_string(port).c_str(), &wanted, &found) != 0) return false;
    fd = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    const bool works = fd >= 0 && ::connect(fd, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    accepted = false;
    length = 0;
    return works;
  }
  bool send(const uint8_t *packet, size_t count) {
    return count > 0 && ::send(fd, packet, count, MSG_NOSIGNAL) == ssize_t(count);
  }
  bool receive() {
    pollfd wanted = {fd, POLLIN, 0};
    while (poll(&wanted, 1, 0) > 0) {
      const ssize_t count = recv(fd, buffer + length, sizeof buffer - length, 0);
      if (count <= 0) return false;
      length += size_t(count);
      if (!read()) return false;
    }
    return true;
  }
  bool read() {
    mqtt_packet packet;
    while ((packet = mqtt_read(buffer, length, MQTT_3_1_1)).kind != MQTT_INCOMPLETE) {
      if (packet.kind == MQTT_BROKEN) return false;
      if (packet.kind == MQTT_CONNACK) accepted = packet.is_accepted;
      if (packet.kind == MQTT_PUBLISH) {
        uint8_t reply[4];
        std::string topic(packet.topic, packet.topic_length), payload(packet.payload, packet.payload_length);
        if (packet.qos == 1 && !send(reply, mqtt_puback(reply, sizeof reply, packet.packet_id))) return false;
        take(&topic[0], reinterpret_cast<uint8_t *>(&payload[0]), unsigned(payload.size()));
      }
      length -= packet.length;
      memmove(buffer, buffer + packet.length, length);
    }
    return true;
  }
};
