// A device on an ESP32 with the Arduino core and the library PubSubClient (2.8). Copy plantgate.c and plantgate.h of the
// folder `c` into this sketch's folder: the core is the same. Replace the section "Your machine" and the settings.
//
// The decision is a permission, never a start: a machine that stopped starts when its operator starts it.
// It is no safety function either. Emergency stop and guards stay wired as they are.
#include <PubSubClient.h>
#include <WiFi.h>

#include "plantgate.h"

// ---- Settings ------------------------------------------------------------------------------------------------
#ifndef GATEWAY_HOST
#define GATEWAY_HOST "192.168.1.10"
#define GATEWAY_PORT 1883
#define MACHINE_ID "RF-01"                  // as it is configured in the gateway; upper and lower case count
#define TOPIC_ROOT "plant1/rollformer-1"
#define MQTT_PASSWORD nullptr               // "…": the machine's mqttPassword, with mqtt.access: password
#define OVERRIDE_AFTER_MS PLANTGATE_OVERRIDE_AFTER_MS
#endif
const char *WIFI_NAME = "plant";
const char *WIFI_PASSWORD = "change me";

const int PIN_RUN_ALLOWED = 25;   // relay in the start interlock of the machine
const int PIN_WARNING = 26;
const int PIN_OVERRIDE_LAMP = 27;
const int PIN_AUTOMATIC_RUN = 32; // input: the machine cycles in automatic mode
const int PIN_CYCLE = 33;         // input: one pulse for each cycle; pulse and pause of 20 ms at least
const int PIN_OVERRIDE_KEY = 23;  // input: the operator's key switch. 34 to 39 have no pull-down: an open key would float

// ---- Your machine --------------------------------------------------------------------------------------------
plantgate_core core;
plantgate_machine machine;
volatile uint32_t cycles = 0;

// Counts in an interrupt: client.connect() may wait for seconds, and loop() would miss the pulses meanwhile.
void IRAM_ATTR countCycle() {
  static uint32_t lastEdge = 0;
  const uint32_t now = millis();
  // A contact bounces when it closes and when it opens: only an edge after 20 ms without one counts.
  if (now - lastEdge >= 20 && digitalRead(PIN_CYCLE) == HIGH) cycles = cycles + 1;
  lastEdge = now;
}

void readMachine() {
  machine.running = digitalRead(PIN_AUTOMATIC_RUN) == HIGH;
  machine.machine_power = true; // the ESP32 has power when the machine has
  machine.cycle = cycles;
  machine.good_part = machine.cycle; // one good part for each cycle; count scrap in bad_part
  plantgate_set_override_switch(&core, digitalRead(PIN_OVERRIDE_KEY) == HIGH);
}

void showDecision() {
  static String shown;
  const plantgate_decision_t decision = plantgate_decision(&core, machine.ms_since_boot);
  digitalWrite(PIN_RUN_ALLOWED, decision.may_run ? HIGH : LOW);
  digitalWrite(PIN_WARNING, decision.warning_light ? HIGH : LOW);
  digitalWrite(PIN_OVERRIDE_LAMP, decision.override_light ? HIGH : LOW);
  const String line = String("run=") + String(int(decision.may_run)) + " light=" + String(int(decision.warning_light)) +
                      " override=" + String(int(decision.override_light)) + " message=" + decision.message;
  if (line == shown) return;
  shown = line;
  Serial.println(line);
}

// ---- The connection ------------------------------------------------------------------------------------------
WiFiClient network;
PubSubClient client(network);
uint64_t nextTryMs = 0;
uint64_t nextStatusMs = 0;

// millis() overflows after 49 days; the time since boot must not.
void readTime() {
  static uint32_t last = 0;
  const uint32_t now = millis();
  machine.ms_since_boot += uint32_t(now - last);
  last = now;
}

void takeMessage(char *topic, uint8_t *payload, unsigned int length) {
  // The session may still have subscriptions of an older program under this client id: they count for nothing.
  if (strcmp(topic, TOPIC_ROOT "/command") != 0) return;
  plantgate_answer(&core, reinterpret_cast<const char *>(payload), length, machine.ms_since_boot);
}

// The last will is "false" on .../lwt; Clean Session is false. The gateway takes any user name. WiFi connects again by itself.
bool connectToGateway() {
  if (WiFi.status() != WL_CONNECTED) return false;
  if (!client.connect(MACHINE_ID, MACHINE_ID, MQTT_PASSWORD, TOPIC_ROOT "/lwt", 1, true, "false", false)) return false;
  plantgate_connected(&core, machine.ms_since_boot);
  return client.subscribe(TOPIC_ROOT "/command", 1) && client.publish(TOPIC_ROOT "/online", "true", true);
}

// PubSubClient publishes with QoS 0. A status that is lost is not missed: the next one has all its counters.
bool sendStatus() {
  char text[PLANTGATE_STATUS_SIZE];
  if (plantgate_status(&core, &machine, machine.ms_since_boot, text, sizeof text) == 0) return false;
  return client.publish(TOPIC_ROOT "/status", text, false);
}

bool keepConnection() {
  if (!core.connected) return machine.ms_since_boot < nextTryMs || connectToGateway();
  if (!client.loop() || plantgate_is_silent(&core, machine.ms_since_boot)) return false;
  if (machine.ms_since_boot < nextStatusMs) return true;
  nextStatusMs = machine.ms_since_boot + plantgate_interval_ms(&machine);
  return sendStatus();
}

void setup() {
  Serial.begin(115200);
  for (const int pin : {PIN_RUN_ALLOWED, PIN_WARNING, PIN_OVERRIDE_LAMP}) pinMode(pin, OUTPUT);
  for (const int pin : {PIN_AUTOMATIC_RUN, PIN_CYCLE, PIN_OVERRIDE_KEY}) pinMode(pin, INPUT_PULLDOWN);
  attachInterrupt(digitalPinToInterrupt(PIN_CYCLE), countCycle, CHANGE);
  machine.machine_id = MACHINE_ID;
  readTime();
  plantgate_start(&core, OVERRIDE_AFTER_MS, machine.ms_since_boot);
  WiFi.begin(WIFI_NAME, WIFI_PASSWORD);
  client.setServer(GATEWAY_HOST, GATEWAY_PORT);
  client.setKeepAlive(60);
  client.setSocketTimeout(5);  // connect() waits so long at most
  client.setBufferSize(1024);  // the default of 256 bytes is too small for a status
  client.setCallback(takeMessage);
}

void loop() {
  readTime();
  readMachine();
  showDecision();
  if (!keepConnection()) {
    client.disconnect();
    nextTryMs = machine.ms_since_boot + plantgate_disconnected(&core);
  }
  delay(10);
}
