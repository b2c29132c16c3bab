package io.headgate.server.queues;

import io.headgate.server.text.Words;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/** Formats payloads for people and programs: as text if they are UTF-8, otherwise as bytes. Long ones are truncated. */
public final class PayloadText {

    private PayloadText() {}

    /** The text, if the bytes are UTF-8. */
    static Optional<String> utf8(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the bytes are UTF-8. */
    public static boolean isUtf8(byte[] bytes) {
        return utf8(bytes).isPresent();
    }

    /**
     * The payload for a terminal: one line without control characters, with at most {@code most} characters or hexadecimal digits of it.
     */
    public static String oneLine(byte[] bytes, int most) {
        Optional<String> text = utf8(bytes);
        if (text.isEmpty()) {
            String hex = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, most / 2));
            return "0x" + hex + (bytes.length > most / 2 ? "…" : "");
        }
        return oneLine(text.get(), most);
    }

    /** Any text for a terminal: one line without control characters, with at most {@code most} characters of it. */
    public static String oneLine(String text, int most) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(most).forEach(c -> append(shown, c));
        return shown + (text.codePointCount(0, text.length()) > most ? "…" : "");
    }

    private static void append(StringBuilder shown, int c) {
        switch (c) {
            case '\n' -> shown.append("\\n");
            case '\r' -> shown.append("\\r");
            case '\t' -> shown.append("\\t");
            default -> {
                int type = Character.getType(c);
                // Format characters could reverse the direction of the text after them.
                if (type == Character.CONTROL || type == Character.FORMAT || type == Character.LINE_SEPARATOR) {
                    shown.append(String.format("\\u%04x", c));
                } else {
                    shown.appendCodePoint(c);
                }
            }
        }
    }

    /** The size of a payload, and whether it is text. */
    public static String size(byte[] bytes) {
        return Words.count(Words.whole(bytes.length), "byte") + (utf8(bytes).isPresent() ? " of text" : ", not text");
    }

    /** Adds the payload to JSON as text or Base64. A long payload is truncated, and marked as such. */
    static void put(Map<String, Object> members, byte[] bytes, int mostBytes) {
        Optional<String> text = utf8(bytes);
        boolean truncated = bytes.length > mostBytes;
        if (text.isPresent()) {
            members.put("payload", truncated ? beginning(bytes, mostBytes) : text.get());
        } else {
            members.put(
                    "payloadBase64",
                    Base64.getEncoder().encodeToString(truncated ? Arrays.copyOf(bytes, mostBytes) : bytes));
        }
        members.put("payloadBytes", bytes.length);
        if (truncated) {
            members.put("payloadTruncated", true);
        }
    }

    /** The first bytes, without a part of a character at the end. */
    private static String beginning(byte[] bytes, int mostBytes) {
        int end = mostBytes;
        while (end > 0 && (bytes[end] & 0xc0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
