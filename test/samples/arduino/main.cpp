/* Runs the sketch as an ESP32 does: setup() once, loop() for ever. */
#include "Arduino.h"
#define GATEWAY_HOST getenv("GATEWAY_HOST")
#define GATEWAY_PORT atoi(getenv("GATEWAY_PORT"))
#define MACHINE_ID "RF-01"
#define TOPIC_ROOT "plant1/rollformer-1"
#define MQTT_PASSWORD getenv("MQTT_PASSWORD")
#define OVERRIDE_AFTER_MS uint32_t(atol(getenv("OVERRIDE_AFTER_MS")))
#include "esp32.ino"

int main() {
  setup();
  for (;;) loop();
}
