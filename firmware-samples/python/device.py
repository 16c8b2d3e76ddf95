#!/usr/bin/env python3
"""A device in Python 3 with paho-mqtt (1.x or 2.x): for an industrial PC beside the machine, or a soft PLC.

  apt-get install python3-paho-mqtt        or: pip install paho-mqtt
  GATEWAY_HOST=192.168.1.10 MACHINE_ID=RF-01 TOPIC_ROOT=plant1/rollformer-1 python3 device.py

MQTT_VERSION=5 speaks MQTT 5. With paho-mqtt 2.x the program then prints why the gateway refuses a message.

Replace the class Machine with yours and keep the rest. The decision is a permission, never a start: a machine that
stopped starts when its operator starts it. It is no safety function either: emergency stop and guards stay as they are.
"""

import json
import os
import signal
import threading
import time
from collections import namedtuple

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

HOST = os.environ.get("GATEWAY_HOST", "127.0.0.1")
PORT = int(os.environ.get("GATEWAY_PORT", "1883"))
MACHINE_ID = os.environ.get("MACHINE_ID", "RF-01")  # as it is configured in the gateway; upper and lower case count
TOPIC_ROOT = os.environ.get("TOPIC_ROOT", "plant1/rollformer-1")
MQTT_PASSWORD = os.environ.get("MQTT_PASSWORD")  # the machine's mqttPassword, with mqtt.access: password
MQTT_5 = os.environ.get("MQTT_VERSION", "3.1.1") == "5"
PART_ID = os.environ.get("PART_ID")  # may be left out: then a person selects the part on the gateway's page

# The times that the interface recommends, in seconds.
RUNNING_INTERVAL_S = 0.5
STOPPED_INTERVAL_S = 1.0
FIRST_PAUSE_S = 1
LONGEST_PAUSE_S = 60
SESSION_EXPIRY_S = 86400  # of MQTT 5; the gateway keeps a session of 3.1.1 for a week
ANSWER_TIMEOUT_S = 10  # a connection that brings no answer for this time is closed and made again
OVERRIDE_AFTER_S = int(os.environ.get("OVERRIDE_AFTER_MS", "60000")) / 1000

Decision = namedtuple("Decision", "may_run warning_light override message")


class Core:
    """Whether the machine may run, from the gateway's answers and from their absence."""

    def __init__(self):
        self.override_switch = False  # of the operator
        self.automatic_override = True  # False: after 60 s only `override_offered` is set, and the operator decides
        self._valid_answer_s = time.monotonic()
        self._stop_and_warn("No answer from the gateway yet")

    def _stop_and_warn(self, message):
        self._run_enabled, self._attention_needed, self._message = False, True, message

    def take_answer(self, payload):
        """Takes in a command as it came. One that cannot be read stops the machine and calls the operator."""
        try:
            command = json.loads(payload)
            run_enabled, attention_needed = command["runEnabled"], command["attentionNeeded"]
            message = command.get("message") or ""
            if not (isinstance(run_enabled, bool) and isinstance(attention_needed, bool) and isinstance(message, str)):
                raise TypeError("a field of the command has the wrong type")
        except (ValueError, KeyError, TypeError, AttributeError):
            # It starts no new 60 s: a gateway that is broken for long must not stop the plant.
            self._stop_and_warn("The gateway's answer cannot be read")
            return False
        if message == "Device not responding":
            return True  # about a silence that is over when it is read: the answer to the next status counts
        self._run_enabled, self._attention_needed, self._message = run_enabled, attention_needed, message
        if message != "Server error - grain unavailable":  # it starts no new 60 s either
            self._valid_answer_s = time.monotonic()
        return True

    @property
    def silent_s(self):
        """How long ago the last valid answer came."""
        return time.monotonic() - self._valid_answer_s

    @property
    def override_offered(self):
        return self.silent_s > OVERRIDE_AFTER_S

    @property
    def decision(self):
        if self.override_switch or (self.automatic_override and self.override_offered):
            return Decision(True, False, True, "")
        return Decision(
            self._run_enabled, self._attention_needed, False, "" if self._run_enabled else self._message
        )


class Machine:
    """Your machine. Here it is simulated: it runs whenever it may, and each cycle makes one part."""

    def __init__(self):
        self._boot_s = time.monotonic()
        self._last_cycle_s = self._boot_s
        self._shown = None
        # Totals since boot: they never decrease, and are not reset at a change of shift or of the part.
        self.cycle = self.good_part = self.bad_part = 0
        self.running = False  # true only while the machine cycles in automatic mode

    def work(self, may_run):
        self.running = may_run
        if may_run and time.monotonic() - self._last_cycle_s > 0.2:
            self._last_cycle_s = time.monotonic()
            self.cycle += 1
            self.good_part += 1

    def show(self, decision):
        """Sets the interlock, the warning light, the override light and the message. Here: prints them."""
        if decision == self._shown:
            return
        self._shown = decision
        run, light, override = (int(value) for value in decision[:3])
        print(f"run={run} light={light} override={override} message={decision.message}", flush=True)

    def status(self, override):
        status = {
            "machineId": MACHINE_ID,
            "running": self.running,
            "machinePower": True,  # false or left out: the gateway does not let the machine run
            "fault": False,
            "override": override,
            "mSecSinceBoot": int((time.monotonic() - self._boot_s) * 1000),
            "cycle": self.cycle,
            "goodPart": self.good_part,
            "badPart": self.bad_part,
        }
        if PART_ID:
            status["partId"] = PART_ID
        return json.dumps(status)


def show_reason(what, reason, properties=None, *_):
    """Prints what the gateway says in MQTT 5 about a message or a connection. Write it to your log instead."""
    sentence = getattr(properties, "ReasonString", None)
    if sentence is not None or getattr(reason, "value", 0) >= 0x80:
        print(f"gateway: {what}: {reason}: {sentence or ''}", flush=True)


class Connection:
    """One MQTT client. paho connects and reads in a thread of its own, so what it brings is kept under a lock."""

    def __init__(self, core):
        self._core = core
        self._lock = threading.Lock()
        self._connected_s = None
        self._client = self._new_client()

    def _new_client(self):
        version = {"protocol": mqtt.MQTTv5} if MQTT_5 else {"clean_session": False}
        if hasattr(mqtt, "CallbackAPIVersion"):  # paho-mqtt 2.x
            client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=MACHINE_ID, **version)
        else:
            client = mqtt.Client(client_id=MACHINE_ID, **version)
        if MQTT_PASSWORD:
            client.username_pw_set(MACHINE_ID, MQTT_PASSWORD)  # the gateway takes any user name
        client.will_set(f"{TOPIC_ROOT}/lwt", "false", qos=1, retain=True)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        client.on_publish = self._on_publish
        # paho tries again by itself; each pause is twice as long as the one before.
        client.reconnect_delay_set(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        client.connect_async(HOST, PORT, keepalive=60, **self._session())
        client.loop_start()
        return client

    @staticmethod
    def _session():
        """Clean Start false and an expiry are in MQTT 5 what Clean Session false is in 3.1.1."""
        if not MQTT_5:
            return {}
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = SESSION_EXPIRY_S
        return {"clean_start": False, "properties": properties}

    # paho 1.x and 2.x give different arguments behind the first ones; 2.x gives an object for the reason.
    def _on_connect(self, client, _data, _flags, reason, *_more):
        if reason != 0:
            return show_reason("connection", reason, *_more)  # refused: the gateway closes it
        client.subscribe(f"{TOPIC_ROOT}/command", qos=1)
        client.publish(f"{TOPIC_ROOT}/online", "true", qos=1, retain=True)
        with self._lock:
            self._connected_s = time.monotonic()

    def _on_publish(self, _client, _data, _message_id, reason=None, properties=None):
        if reason is not None:  # paho-mqtt 1.x has none here
            show_reason("message", reason, properties)

    def _on_disconnect(self, *told):
        if getattr(told[-1], "ReasonString", None) is not None:  # a lost network has none
            show_reason("connection", *told[-2:])
        with self._lock:
            self._connected_s = None

    def _on_message(self, _client, _data, message):
        if message.topic != f"{TOPIC_ROOT}/command":
            return  # the session may still have subscriptions of an older program under this client id
        with self._lock:
            self._core.take_answer(message.payload)

    def is_ready(self):
        """Whether a status can be sent. A connection that brings no answer is made again."""
        with self._lock:
            connected_s = self._connected_s
            silent_s = 0 if connected_s is None else min(time.monotonic() - connected_s, self._core.silent_s)
        if silent_s > ANSWER_TIMEOUT_S:
            self._end()
            self._client = self._new_client()
            return False
        return connected_s is not None

    def send(self, status):
        """QoS 1, not retained."""
        self._client.publish(f"{TOPIC_ROOT}/status", status, qos=1)

    def decision(self):
        with self._lock:
            return self._core.decision

    def leave(self):
        """A device that leaves says so itself; its will is for the day when it cannot."""
        if self._connected_s is not None:
            self._client.publish(f"{TOPIC_ROOT}/online", "false", qos=1, retain=True).wait_for_publish(2)
        self._end()

    def _end(self):
        self._client.disconnect()
        self._client.loop_stop()
        self._connected_s = None


def main():
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    machine = Machine()
    connection = Connection(Core())
    next_status_s = 0
    while not ending.wait(0.02):
        decision = connection.decision()
        machine.work(decision.may_run)
        machine.show(decision)
        if connection.is_ready() and time.monotonic() >= next_status_s:
            connection.send(machine.status(decision.override))
            next_status_s = time.monotonic() + (RUNNING_INTERVAL_S if machine.running else STOPPED_INTERVAL_S)
    connection.leave()


main()
