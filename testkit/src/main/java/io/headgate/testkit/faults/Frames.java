package io.headgate.testkit.faults;

import io.headgate.testkit.internal.RespReader;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Splits one direction of a connection into whole requests or replies, with their original bytes. */
final class Frames {

    private final Recorder recorder;
    private final RespReader reader;

    /** The bytes of one request or reply. */
    static final class Frame {

        private final String command;
        private final boolean isReply;
        private final byte[] bytes;

        Frame(String command, boolean isReply, byte[] bytes) {
            this.command = command;
            this.isReply = isReply;
            this.bytes = bytes;
        }

        /** A reply by the proxy itself. */
        static Frame reply(byte[] bytes) {
            return new Frame("", true, bytes);
        }

        /** The command of a request in upper case; empty for a reply. */
        String command() {
            return command;
        }

        /** Whether it is a reply to a command, and not a push message. */
        boolean isReply() {
            return isReply;
        }

        int length() {
            return bytes.length;
        }

        /** Writes all bytes. */
        void writeTo(OutputStream out) throws IOException {
            out.write(bytes);
        }

        /** Writes {@code count} bytes, starting with byte {@code from}. */
        void writeTo(OutputStream out, int from, int count) throws IOException {
            out.write(bytes, from, count);
        }
    }

    Frames(InputStream in) {
        this.recorder = new Recorder(new BufferedInputStream(in));
        this.reader = new RespReader(recorder);
    }

    /**
     * Reads the next request.
     *
     * @throws EOFException when there is none
     */
    Frame nextRequest() throws IOException {
        List<byte[]> parts = reader.readCommand();
        String name = parts.isEmpty() ? "" : new String(parts.get(0), StandardCharsets.ISO_8859_1);
        return new Frame(name.toUpperCase(Locale.ROOT), false, recorder.take());
    }

    /**
     * Reads the next reply or push message.
     *
     * @throws EOFException when there is none
     */
    Frame nextReply() throws IOException {
        boolean isReply = !(reader.read() instanceof RespReader.Push);
        return new Frame("", isReply, recorder.take());
    }

    /** Copies all bytes that are read. */
    private static final class Recorder extends FilterInputStream {

        private final ByteArrayOutputStream copy = new ByteArrayOutputStream();

        Recorder(InputStream in) {
            super(in);
        }

        byte[] take() {
            byte[] taken = copy.toByteArray();
            copy.reset();
            return taken;
        }

        @Override
        public int read() throws IOException {
            int b = super.read();
            if (b >= 0) {
                copy.write(b);
            }
            return b;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int count = super.read(buffer, offset, length);
            if (count > 0) {
                copy.write(buffer, offset, count);
            }
            return count;
        }
    }
}
