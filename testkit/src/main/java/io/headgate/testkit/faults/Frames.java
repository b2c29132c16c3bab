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

/** Cuts one direction of a connection into whole requests or replies, each with its bytes as they came. */
final class Frames {

    private final Recorder recorder;
    private final RespReader reader;

    /** Bytes that belong together. */
    static final class Frame {

        private final String command;
        private final boolean isReply;
        private final byte[] bytes;

        Frame(String command, boolean isReply, byte[] bytes) {
            this.command = command;
            this.isReply = isReply;
            this.bytes = bytes;
        }

        /** A reply that Redis has not given. */
        static Frame reply(byte[] bytes) {
            return new Frame("", true, bytes);
        }

        /** The name of the command in capitals, for a request; empty for a reply. */
        String command() {
            return command;
        }

        /** Whether it answers a command. */
        boolean isReply() {
            return isReply;
        }

        int length() {
            return bytes.length;
        }

        /** Writes it whole. */
        void writeTo(OutputStream out) throws IOException {
            out.write(bytes);
        }

        /** Writes so many bytes from there. */
        void writeTo(OutputStream out, int from, int count) throws IOException {
            out.write(bytes, from, count);
        }
    }

    Frames(InputStream in) {
        this.recorder = new Recorder(new BufferedInputStream(in));
        this.reader = new RespReader(recorder);
    }

    /**
     * The next request.
     *
     * @throws EOFException when there is none
     */
    Frame nextRequest() throws IOException {
        List<byte[]> parts = reader.readCommand();
        String name = parts.isEmpty() ? "" : new String(parts.get(0), StandardCharsets.ISO_8859_1);
        return new Frame(name.toUpperCase(Locale.ROOT), false, recorder.take());
    }

    /**
     * The next reply, or message that answers nothing.
     *
     * @throws EOFException when there is none
     */
    Frame nextReply() throws IOException {
        boolean isReply = !(reader.read() instanceof RespReader.Push);
        return new Frame("", isReply, recorder.take());
    }

    /** Keeps a copy of what is read. */
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
