package io.headgate.config.internal.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** Reads the text of a source: checks its size, its UTF-8 encoding and its characters, and reports the position of an error. */
public final class SourceText {

    /** The maximum size of a source. */
    public static final int MAX_BYTES = 1 << 20;

    private static final int BYTE_ORDER_MARK = 0xfeff;

    private SourceText() {}

    /** Reads a file in UTF-8. */
    public static String read(Path file, Problems problems) {
        try (InputStream in = Files.newInputStream(file)) {
            return decoded(in.readNBytes(MAX_BYTES + 1), problems);
        } catch (NoSuchFileException e) {
            throw problems.stop("no such file");
        } catch (AccessDeniedException e) {
            throw problems.stop("may not be read by this user");
        } catch (IOException e) {
            throw problems.stop(Files.isDirectory(file) ? "is a directory" : "can't be read: " + e.getMessage());
        }
    }

    private static String decoded(byte[] bytes, Problems problems) {
        requireBounded(bytes.length, problems);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = UTF_8.newDecoder().decode(in, out, true);
        String text = out.flip().toString();
        if (result.isError()) {
            throw problems.stop(
                    endOf(text), String.format("the byte 0x%02x is not UTF-8 here", bytes[in.position()] & 0xff));
        }
        return withoutByteOrderMark(text);
    }

    /** Checks that a text is not larger than a file may be, and returns it without a byte order mark. */
    public static String bounded(String text, Problems problems) {
        // Each character takes at least a byte, so this rejects most texts that are too long without encoding them.
        requireBounded(text.length(), problems);
        requireBounded(text.getBytes(UTF_8).length, problems);
        return withoutByteOrderMark(text);
    }

    private static void requireBounded(int bytes, Problems problems) {
        if (bytes > MAX_BYTES) {
            throw problems.stop("is larger than 1 MiB");
        }
    }

    private static String withoutByteOrderMark(String text) {
        return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    /** Rejects characters that YAML does not allow, such as NUL or an unpaired surrogate. */
    public static void requireCharactersOfYaml(String text, Problems problems) {
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            if (!StreamReader.isPrintable(codePoint)) {
                throw problems.stop(
                        endOf(text.substring(0, i)), String.format("the character U+%04X is not allowed", codePoint));
            }
            i += Character.charCount(codePoint);
        }
    }

    /** Returns the position after the last character. Lines end in LF, CR LF or CR. */
    private static Where endOf(String text) {
        int line = 1;
        int lineStart = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean halfOfBreak = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
            if ((c == '\n' || c == '\r') && !halfOfBreak) {
                line++;
                lineStart = i + 1;
            }
        }
        return new Where(line, text.codePointCount(lineStart, text.length()) + 1, "");
    }
}
