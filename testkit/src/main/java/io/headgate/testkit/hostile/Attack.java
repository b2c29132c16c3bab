package io.headgate.testkit.hostile;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/** An attack: the bytes that a hostile client sends on a connection, piece by piece. The client never reads. */
public enum Attack {
    /** Checks over HTTP/1, pipelined without reading a response. */
    PIPELINED_CHECKS(12, 0, piece -> repeated("GET /check/api?user=mallory HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")),

    /** Requests for the page that the server has at {@code /}, over HTTP/1, pipelined without reading a response. */
    PIPELINED_PAGES(12, 0, piece -> repeated("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")),

    /** HTTP/2 streams for the page with a window of 0. The client never acknowledges SETTINGS, so that Netty does not limit them. */
    UNACKNOWLEDGED_SETTINGS(6, 0, piece -> piece == 0 ? Http2Bytes.preface(true) : Http2Bytes.requests(piece, 100)),

    /** 1000 HTTP/2 streams for the page with a window of 0, by a client that then sends only PING frames. */
    CLOSED_WINDOW(
            6,
            PauseNanos.TEN_MILLIS,
            piece -> piece == 0
                    ? Http2Bytes.preface(true)
                    : piece <= 10 ? Http2Bytes.requests(piece, 100) : Http2Bytes.ping(1)),

    /** HTTP/2 streams that the client resets immediately. */
    RAPID_RESET(6, 0, piece -> piece == 0 ? Http2Bytes.preface(false) : Http2Bytes.resetRequests(piece, 100)),

    /** A header block that never ends. */
    CONTINUATION_FLOOD(6, 0, piece -> piece == 0 ? Http2Bytes.preface(false) : Http2Bytes.continuation(piece)),

    /** SETTINGS frames, whose acknowledgements the client never reads. */
    SETTINGS_FLOOD(6, 0, piece -> piece == 0 ? Http2Bytes.preface(false) : Http2Bytes.settings(500)),

    /** PING frames, whose acknowledgements the client never reads. */
    PING_FLOOD(6, 0, piece -> piece == 0 ? Http2Bytes.preface(false) : Http2Bytes.ping(500)),

    /** Small header blocks that decompress to large header lists. */
    HPACK_BOMB(6, 0, piece -> piece == 0 ? Http2Bytes.preface(false) : Http2Bytes.hpackBomb(piece)),

    /** HTTP/2 bodies that never end, in DATA frames of one byte. */
    SMALL_DATA_FRAMES(
            6, 0, piece -> piece == 0 ? Http2Bytes.preface(false) : Http2Bytes.unfinishedBody(piece, 1, 60_000)),

    /** Header fields without an end that arrive a byte at a time. */
    SLOW_HEADERS(
            500, PauseNanos.HALF_SECOND, piece -> ascii(piece == 0 ? "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " : "x")),

    /** Bodies that arrive a byte at a time. */
    SLOW_BODIES(
            500,
            PauseNanos.HALF_SECOND,
            piece -> ascii(piece == 0 ? "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60000\r\n\r\n" : "x"));

    private final int clients;
    private final long pauseNanos;

    @SuppressWarnings("ImmutableEnumChecker") // these functions have no state
    private final IntFunction<byte[]> pieces;

    Attack(int clients, long pauseNanos, IntFunction<byte[]> pieces) {
        this.clients = clients;
        this.pauseNanos = pauseNanos;
        this.pieces = pieces;
    }

    /** The number of clients that attack in parallel, each with a connection. */
    public int clients() {
        return clients;
    }

    /** The bytes of a piece; the first piece is 0. */
    byte[] bytes(int piece) {
        return pieces.apply(piece);
    }

    /** The time between two pieces. */
    long pauseNanos() {
        return pauseNanos;
    }

    private static byte[] repeated(String request) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < 200; i++) {
            all.writeBytes(ascii(request));
        }
        return all.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The pauses, in nanoseconds. Values of an enum can't refer by a simple name to constants that are declared after them. */
    private static final class PauseNanos {
        private static final long TEN_MILLIS = 10_000_000;
        private static final long HALF_SECOND = 500_000_000;
    }
}
