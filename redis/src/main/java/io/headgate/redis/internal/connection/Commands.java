package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.script.ScriptCall;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Creates Lettuce commands; each is sent once. */
final class Commands {

    private Commands() {}

    /**
     * Creates a command that runs a script.
     *
     * @param script the SHA-1 of the script for EVALSHA, its source for EVAL
     * @param arguments receives the keys and arguments
     */
    static AsyncCommand<byte[], byte[], byte[]> script(
            CommandType type, String script, ScriptCall<?> call, CommandArgs<byte[], byte[]> arguments) {
        arguments.add(script).add(call.keys().length);
        for (String key : call.keys()) {
            arguments.addKey(key.getBytes(StandardCharsets.US_ASCII));
        }
        for (byte[] argument : call.arguments()) {
            arguments.add(argument);
        }
        return new AsyncCommand<>(new Command<>(type, new JoinedOutput(), arguments));
    }

    /** Creates a command from its name and ASCII arguments. Lettuce must know the name. */
    static <R> AsyncCommand<byte[], byte[], R> plain(CommandOutput<byte[], byte[], R> output, String... words) {
        CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        for (int i = 1; i < words.length; i++) {
            arguments.add(words[i].getBytes(StandardCharsets.US_ASCII));
        }
        return new AsyncCommand<>(new Command<>(CommandType.valueOf(words[0]), output, arguments));
    }

    /** Creates a command of any name, even one that Lettuce does not know. */
    static AsyncCommand<byte[], byte[], byte[]> named(String name, byte[]... arguments) {
        CommandArgs<byte[], byte[]> given = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        for (byte[] argument : arguments) {
            given.add(argument);
        }
        return new AsyncCommand<>(new Command<>(new Keyword(name), new JoinedOutput(), given));
    }

    /** A command by its name. */
    private record Keyword(String text) implements ProtocolKeyword {

        @Override
        public byte[] getBytes() {
            return text.getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * A Lettuce output that concatenates the parts of a reply: a string, a number as 8 bytes, or an array of these. A
     * script can thus return its parts unchanged and need not concatenate them.
     */
    private static final class JoinedOutput extends CommandOutput<byte[], byte[], byte[]> {

        private byte[] joined = new byte[0];
        private int length;
        private boolean any;

        JoinedOutput() {
            super(ByteArrayCodec.INSTANCE, new byte[0]);
        }

        @Override
        @SuppressWarnings("NullAway") // null means no reply, for Lettuce and for a flight
        public byte[] get() {
            if (!any) {
                return null;
            }
            return length == joined.length ? joined : Arrays.copyOf(joined, length);
        }

        @Override
        public void set(@Nullable ByteBuffer bytes) {
            if (bytes == null) {
                return;
            }
            any = true;
            int more = bytes.remaining();
            if (joined.length - length < more) {
                // A single part, the most frequent case, is allocated exactly; further parts double the array.
                joined = Arrays.copyOf(joined, length == 0 ? more : Math.max(length + more, 2 * joined.length));
            }
            bytes.get(joined, length, more);
            length += more;
        }

        @Override
        public void set(long number) {
            set(ByteBuffer.allocate(Long.BYTES).putLong(0, number));
        }

        @Override
        public void multi(int count) {
            // Lettuce passes the elements of the array to set.
        }
    }
}
