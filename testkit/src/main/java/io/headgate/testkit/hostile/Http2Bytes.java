package io.headgate.testkit.hostile;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Frames of HTTP/2 as a client sends them (RFC 9113), with header blocks of HPACK (RFC 7541). */
final class Http2Bytes {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int CONTINUATION = 9;

    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private static final int CANCEL = 8;

    /** The header block of a request for the page: GET, /, http, and the authority 127.0.0.1. */
    private static final byte[] GET_PAGE =
            concat(new byte[] {(byte) 0x82, (byte) 0x84, (byte) 0x86}, literal(1, "127.0.0.1"));

    /** The header block of a check: POST, /v1/check, http, the authority 127.0.0.1, and the content type of JSON. */
    private static final byte[] POST_CHECK = concat(
            concat(new byte[] {(byte) 0x83, (byte) 0x86}, literal(1, "127.0.0.1")),
            // Static table: 4 is :path; 31, content-type, exceeds a prefix of 4 bits, so 15 and the rest.
            concat(named(new byte[] {4}, "/v1/check"), named(new byte[] {0x0F, 31 - 15}, "application/json")));

    private Http2Bytes() {}

    /** The connection preface with a SETTINGS frame. The initial window is 0 bytes if closed, else the default. */
    static byte[] preface(boolean closedWindow) {
        byte[] magic = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        return concat(magic, frame(SETTINGS, 0, 0, closedWindow ? new byte[] {0, 4, 0, 0, 0, 0} : new byte[0]));
    }

    /** Requests for the page, each on a new stream; the piece, from 1, selects the streams. */
    static byte[] requests(int piece, int count) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(frame(HEADERS, END_STREAM | END_HEADERS, stream(piece, count, i), GET_PAGE));
        }
        return all.toByteArray();
    }

    /** The requests of {@link #requests}, each reset immediately. */
    static byte[] resetRequests(int piece, int count) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            int stream = stream(piece, count, i);
            all.writeBytes(frame(HEADERS, END_STREAM | END_HEADERS, stream, GET_PAGE));
            all.writeBytes(frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, CANCEL}));
        }
        return all.toByteArray();
    }

    /** The next part of a header block on stream 1 that never ends. */
    static byte[] continuation(int piece) {
        byte[] fields = literal(0, "x".repeat(100));
        return piece == 1 ? frame(HEADERS, END_STREAM, 1, concat(GET_PAGE, fields)) : frame(CONTINUATION, 0, 1, fields);
    }

    /** A check on a new stream, and DATA frames of its body, which does not end; the piece, from 1, selects the stream. */
    static byte[] unfinishedBody(int piece, int frameBytes, int frames) {
        int stream = 2 * piece - 1;
        byte[] data = new byte[frameBytes];
        Arrays.fill(data, (byte) ' ');
        return concat(frame(HEADERS, END_HEADERS, stream, POST_CHECK), repeated(frame(DATA, 0, stream, data), frames));
    }

    static byte[] settings(int count) {
        // MAX_CONCURRENT_STREAMS, 100.
        return repeated(frame(SETTINGS, 0, 0, new byte[] {0, 3, 0, 0, 0, 100}), count);
    }

    static byte[] ping(int count) {
        return repeated(frame(PING, 0, 0, new byte[8]), count);
    }

    /** A field of 4000 bytes that enters the dynamic table, and then requests that name it 4000 times each. */
    static byte[] hpackBomb(int piece) {
        if (piece == 1) {
            // The table counts 32 bytes more for an entry, and its name has 1.
            byte[] indexed = literal(0x40, "x".repeat(4000 - 32 - 1));
            return frame(HEADERS, END_STREAM | END_HEADERS, 1, concat(GET_PAGE, indexed));
        }
        byte[] names = new byte[4000];
        // Index 62 is the newest entry of the dynamic table.
        Arrays.fill(names, (byte) (0x80 | 62));
        return frame(HEADERS, END_STREAM | END_HEADERS, 2 * piece - 1, concat(GET_PAGE, names));
    }

    private static int stream(int piece, int count, int i) {
        return 2 * ((piece - 1) * count + i) + 1;
    }

    /**
     * A literal header field. The first byte selects it: 1 for {@code :authority}, 0 for a field named {@code a}, and 0x40 for such a
     * field that also enters the dynamic table.
     */
    private static byte[] literal(int first, String value) {
        ByteArrayOutputStream field = new ByteArrayOutputStream();
        field.write(first);
        if (first != 1) {
            field.write(1);
            field.write('a');
        }
        int length = value.length();
        if (length < 127) {
            field.write(length);
        } else {
            field.write(127);
            int rest = length - 127;
            while (rest >= 128) {
                field.write(rest % 128 | 128);
                rest /= 128;
            }
            field.write(rest);
        }
        field.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
        return field.toByteArray();
    }

    /** A literal field whose name is an index of the static table; the value has fewer than 127 bytes. */
    private static byte[] named(byte[] index, String value) {
        return concat(concat(index, new byte[] {(byte) value.length()}), value.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        byte[] head = {
            (byte) (payload.length >> 16),
            (byte) (payload.length >> 8),
            (byte) payload.length,
            (byte) type,
            (byte) flags,
            (byte) (stream >> 24),
            (byte) (stream >> 16),
            (byte) (stream >> 8),
            (byte) stream
        };
        return concat(head, payload);
    }

    private static byte[] repeated(byte[] frame, int count) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(frame);
        }
        return all.toByteArray();
    }

    private static byte[] concat(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }
}
