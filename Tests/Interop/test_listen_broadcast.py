"""`wsx listen --broadcast` forwards each client's messages to all others."""

import subprocess
import socket
import threading
import zlib

import wire
from processes import Listener


def connect(listener, compression=None):
    fields = [f"Sec-WebSocket-Extensions: {compression}".encode()] if compression else []
    stream = wire.Stream(socket.create_connection(("127.0.0.1", listener.port), timeout=60))
    stream.send(wire.upgrade_request(listener.port, "/", *fields))
    head = stream.read_head()
    assert head.startswith(b"HTTP/1.1 101")
    assert (b"permessage-deflate" in head) == bool(compression)
    return stream


def send(stream, payload, opcode=wire.TEXT):
    stream.send(wire.frame(opcode, payload, is_masked=True))


def test_each_message_reaches_all_clients_except_its_sender():
    with Listener("--broadcast") as listener:
        clients = [connect(listener) for _ in range(5)]
        for number, client in enumerate(clients):
            send(client, b"from %d" % number, wire.TEXT if number % 2 else wire.BINARY)
            for other in clients:
                if other is not client:
                    message = other.read_message()
                    assert message.payload == b"from %d" % number
                    assert message.opcode == (wire.TEXT if number % 2 else wire.BINARY)
        send(clients[0], b"last")
        assert clients[1].read_message().payload == b"last"
        # If the server echoed messages to their sender, "last" would arrive first.
        send(clients[1], b"to the first")
        assert clients[0].read_message().payload == b"to the first"


def test_messages_are_also_printed_and_standard_input_goes_to_all():
    with Listener("--broadcast", stdin=subprocess.PIPE) as listener:
        clients = [connect(listener) for _ in range(3)]
        send(clients[2], b"hello")
        listener.wait_for(r"^hello\n$", "out")
        listener.send(b"from stdin\n")
        assert clients[2].read_message().payload == b"from stdin"
        for client in clients[:2]:
            assert [client.read_message().payload for _ in range(2)] == [b"hello", b"from stdin"]


def test_clients_with_and_without_compression_receive_the_same():
    with Listener("--broadcast", stdin=subprocess.PIPE) as listener:
        offers = [None, "permessage-deflate", "permessage-deflate; server_max_window_bits=9",
                  "permessage-deflate; server_no_context_takeover"]
        clients = [connect(listener, offer) for offer in offers]
        inflaters = [zlib.decompressobj(wbits=-15) for _ in offers]

        def inflate(index):
            return lambda data: inflaters[index].decompress(data + b"\0\0\xff\xff")

        for round in range(20):
            payload = (f'{{"round":{round},"words":"' + "some words that repeat " * (round + 3) + '"}').encode()
            send(clients[0], payload)
            for index in range(1, 4):
                message = clients[index].read_message(inflate(index))
                assert message.payload == payload
                assert message.is_compressed
            # Interleave other messages, which may refer to earlier ones.
            listener.send(payload + b" to all\n")
            for index, client in enumerate(clients):
                assert client.read_message(inflate(index)).payload == payload + b" to all"


def test_a_stopped_reader_is_closed_and_the_others_are_served():
    with Listener("--broadcast", "--no-stdin", "--close-timeout", "200ms", stdout=subprocess.DEVNULL) as listener:
        stopped = socket.create_connection(("127.0.0.1", listener.port))
        stopped.sendall(wire.upgrade_request(listener.port))
        reader, sender = connect(listener), connect(listener)
        payload = bytes(64 << 10)
        # Twice as much as the kernel and the queue of the stopped reader can hold.
        count = 1000
        thread = threading.Thread(target=lambda: [send(sender, payload, wire.BINARY) for _ in range(count)])
        thread.start()
        for _ in range(count):
            assert len(reader.read_message().payload) == len(payload)
        thread.join()
        listener.wait_for(r"Client 1 reads nothing and holds up the others: closed with 1013\n")
        listener.wait_for(r"Client 1 disconnected")
        send(sender, b"end")
        assert reader.read_message().payload == b"end"
        stopped.close()


def test_one_message_reaches_a_thousand_readers():
    with Listener("--broadcast", "--no-stdin") as listener:
        readers = [connect(listener) for _ in range(1000)]
        send(readers[0], b"to all of you")
        for reader in readers[1:]:
            assert reader.read_message().payload == b"to all of you"


def test_single_messages_and_bursts_keep_their_order_for_a_reader_that_falls_behind():
    with Listener("--broadcast", "--no-stdin", "--compress=off", stdout=subprocess.DEVNULL) as listener:
        slow = socket.socket()
        # The rest of what is sent waits in the server, but not so much that others wait.
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(60)
        slow.connect(("127.0.0.1", listener.port))
        behind = wire.Stream(slow)
        behind.send(wire.upgrade_request(listener.port))
        behind.read_head()
        reader, sender = connect(listener), connect(listener)
        expected = []

        def pass_on(*payloads):
            sender.send(b"".join(wire.frame(wire.BINARY, payload, is_masked=True) for payload in payloads))
            expected.extend(payloads)
            assert [reader.read_message().payload for _ in payloads] == list(payloads)

        # Each is the only message of its turn.
        for number in range(20):
            pass_on(b"single %d" % number)
        for number in range(600):
            pass_on(b"%07d" % number + bytes(15_000))
        behind.send(wire.frame(wire.PING, b"behind", is_masked=True))
        pass_on(*(b"burst %d" % number for number in range(100)))
        pass_on(b"after the burst")
        for number in range(20):
            pass_on(b"single again %d" % number)
        assert [behind.read_message().payload for _ in expected] == expected
        # Now it has nothing queued.
        for number in range(20):
            pass_on(b"end %d" % number)
            assert behind.read_message().payload == b"end %d" % number


def test_a_reader_that_only_trickles_does_not_block_the_others_forever():
    with Listener("--broadcast", "--no-stdin", "--compress=off", stdout=subprocess.DEVNULL) as listener:
        behind = wire.Stream(socket.create_connection(("127.0.0.1", listener.port), timeout=60))
        behind.send(wire.upgrade_request(listener.port))
        behind.read_head()
        reader, sender = connect(listener), connect(listener)
        payload, count = bytes(64 << 10), 800
        over = threading.Event()

        def trickle():
            while not over.wait(0.2):
                if not behind.sock.recv(8192):
                    return

        threads = [
            threading.Thread(target=lambda: [send(sender, payload, wire.BINARY) for _ in range(count)]),
            threading.Thread(target=trickle)]
        for thread in threads:
            thread.start()
        for _ in range(count):
            assert len(reader.read_message().payload) == len(payload)
        listener.wait_for(r"Client 1 (reads too slowly|reads nothing) and holds up the others: closed with 1013\n")
        over.set()
        for thread in threads:
            thread.join()


def test_senders_that_waited_for_a_slow_reader_and_were_slow_readers_themselves_resume():
    with Listener("--broadcast", "--no-stdin", "--compress=off", stdout=subprocess.DEVNULL) as listener:
        stopped = socket.create_connection(("127.0.0.1", listener.port))
        stopped.sendall(wire.upgrade_request(listener.port))
        one, other = connect(listener), connect(listener)
        payload, count = bytes(1 << 20), 80
        stalled = [threading.Event(), threading.Event()]

        def flood(stream, event):
            for number in range(count):
                send(stream, payload, wire.BINARY)
                # Beyond the capacity of the queues of clients that do not read.
                if number == 30:
                    event.set()

        senders = [threading.Thread(target=flood, args=pair) for pair in zip((one, other), stalled)]
        for thread in senders:
            thread.start()
        # Both continue to send while neither reads, until both are blocked.
        for event in stalled:
            event.wait(0.3)
        received = []

        def read(stream):
            received.extend(len(stream.read_message().payload) for _ in range(count))

        readers = [threading.Thread(target=read, args=(stream,)) for stream in (one, other)]
        for thread in readers:
            thread.start()
        for thread in readers + senders:
            thread.join(60)
            assert not thread.is_alive()
        assert received == [len(payload)] * (2 * count)
        listener.wait_for(r"Client 1 (reads nothing|reads too slowly) and holds up the others: closed with 1013")
        stopped.close()
