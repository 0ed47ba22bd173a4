import CSystem
import Glibc

/// An attempt to connect to one address. The loop keeps it until it succeeds, fails, or is canceled.
package final class ConnectAttempt: PolledDescriptor {
    /// Receives the result.
    package typealias Completion = (Result<SystemStream, IOError>) -> Void

    private let loop: EventLoop
    private let descriptor: Int32
    private let kind: SystemStream.Kind
    /// The result if it was known immediately: 0 or a negative error.
    private let result: Int32?
    /// `nil` when the attempt is over.
    private var completion: Completion?

    /// Whether the attempt has succeeded, failed, or been canceled.
    package var isOver: Bool { completion == nil }

    /// Waits for the result of connecting a socket and takes ownership of the socket.
    /// - Parameter result: 0 if the socket is connected, 1 if that takes time, or a negative error.
    /// - Throws: ``IOError`` if the socket cannot be polled.
    fileprivate init(
        _ descriptor: Int32, kind: SystemStream.Kind, result: Int32, on loop: EventLoop,
        completion: @escaping Completion
    ) throws(IOError) {
        self.loop = loop
        self.descriptor = descriptor
        self.kind = kind
        self.result = result > 0 ? nil : result
        self.completion = completion
        super.init()
        if self.result == nil {
            do throws(IOError) {
                try loop.startPolling(descriptor, for: [.writable, .edgeTriggered], target: self)
            } catch {
                Descriptor.closeDescriptor(descriptor)
                throw error
            }
            loop.activeCount += 1
        } else {
            // The caller gets the attempt before the completion is called.
            loop.atEndOfTurn(self)
        }
        // Released when the attempt is over.
        _ = Unmanaged.passRetained(self)
    }

    /// Cancels the attempt. The completion is not called. Has no effect if the attempt is over.
    package func cancel() {
        guard end() != nil else { return }
        defer { release() }
        if result == nil { loop.stopPolling(descriptor, self) }
        Descriptor.closeDescriptor(descriptor)
    }

    override func becameReady(for events: PollEvents) {
        // The descriptor may already belong to another socket.
        guard !isOver else { return }
        finish(Socket.error(of: descriptor))
    }

    private func finish(_ result: Int32) {
        guard let completion = end() else { return }
        defer { release() }
        do throws(IOError) {
            if result < 0 {
                if self.result == nil { loop.stopPolling(descriptor, self) }
                Descriptor.closeDescriptor(descriptor)
                throw IOError(code: result)
            }
            completion(
                .success(
                    try SystemStream(
                        descriptor: descriptor, kind: kind, on: loop, after: self.result == nil ? self : nil)))
        } catch {
            completion(.failure(error))
        }
    }

    /// Returns the completion, or `nil` if the attempt is already over.
    private func end() -> Completion? {
        guard let completion else { return nil }
        self.completion = nil
        if result == nil { loop.activeCount -= 1 }
        return completion
    }

    private func release() {
        Unmanaged.passUnretained(self).release()
    }
}

extension ConnectAttempt: EndOfTurnWork {
    /// Reports a result that was known immediately.
    package func endTurn() {
        if let result { finish(result) }
    }
}

extension SystemStream {
    /// Connects to an IPv4 or IPv6 address, optionally from a given source address of this machine.
    /// - Throws: ``AttemptError`` if the attempt fails immediately, except if it is refused.
    package static func connect(
        to address: SocketAddress, from source: SocketAddress? = nil, on loop: EventLoop,
        completion: @escaping ConnectAttempt.Completion
    ) throws(AttemptError) -> ConnectAttempt {
        let socket: Int32
        do throws(IOError) {
            socket = try Socket.open(address.family)
        } catch {
            throw .system(error)
        }
        if let source {
            // A port chosen now would be unavailable for all destinations, and one source address would run out of
            // ports after about 28,000 connections. Kernels without this option ignore it and behave as before.
            Socket.set(IP_BIND_ADDRESS_NO_PORT, level: Int32(IPPROTO_IP), of: socket)
            do throws(IOError) {
                try Socket.bind(socket, to: source)
            } catch {
                Descriptor.closeDescriptor(socket)
                throw .source(source.host, error)
            }
        }
        let result = Socket.connect(socket, to: address)
        do throws(IOError) {
            guard result >= 0 || result == IOError.connectionRefused.code else {
                Descriptor.closeDescriptor(socket)
                throw IOError(code: result)
            }
            return try ConnectAttempt(socket, kind: .tcp, result: result, on: loop, completion: completion)
        } catch {
            throw .system(error)
        }
    }

    /// Connects to a Unix domain socket at `path`. On Linux, `@name` is in the abstract namespace.
    /// - Throws: ``IOError`` if the path is too long, or the system is out of resources.
    package static func connect(
        toPath path: String, on loop: EventLoop, completion: @escaping ConnectAttempt.Completion
    ) throws(IOError) -> ConnectAttempt {
        try Socket.checkPath(path)
        let socket = try Socket.openLocal()
        let result = Socket.connect(socket, toPath: path)
        return try ConnectAttempt(socket, kind: .localSocket, result: result, on: loop, completion: completion)
    }
}
