"""An MQTT client, based on paho-mqtt (PyPI). Publishes messages of several sizes to itself, and prints the sizes it gets.

    mqtt_client.py PORT USER PASSWORD
"""

import queue
import sys

import paho.mqtt.client as mqtt

port, user, password = sys.argv[1:]
received = queue.Queue()
client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, transport="websockets", protocol=mqtt.MQTTv5)
client.username_pw_set(user, password)
client.on_subscribe = lambda *_: received.put("subscribed")
client.on_message = lambda _, __, message: received.put(message.payload)
client.connect("127.0.0.1", int(port))
client.loop_start()
client.subscribe("sizes", qos=1)
assert received.get(timeout=60) == "subscribed"
for size in map(int, [0, 1, 1_000, 30_000]):
    client.publish("sizes", bytes(size), qos=1).wait_for_publish(30)
    print(len(received.get(timeout=60)))
client.disconnect()
client.loop_stop()
