package io.headgate.config.internal.stores;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.config.sources.PolicyDocument;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Texts as they are stored: each has a line with its size in bytes and its name, and is followed by a line break. All together are cut
 * into parts, since stores bound the size of a value.
 */
final class TextParts {

    private TextParts() {}

    /**
     * Encodes texts.
     *
     * @param partBytes the size of all parts except the last one
     */
    static List<byte[]> encode(List<PolicyDocument.Text> texts, int partBytes) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (PolicyDocument.Text text : texts) {
            byte[] yaml = text.yaml().getBytes(UTF_8);
            all.writeBytes((yaml.length + " " + text.name() + "\n").getBytes(UTF_8));
            all.writeBytes(yaml);
            all.write('\n');
        }
        byte[] bytes = all.toByteArray();
        List<byte[]> parts = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += partBytes) {
            parts.add(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + partBytes)));
        }
        return parts;
    }

    /** Reads texts; empty if the bytes have another form. */
    static Optional<List<PolicyDocument.Text>> decode(byte[] bytes) {
        List<PolicyDocument.Text> texts = new ArrayList<>();
        for (int at = 0; at < bytes.length; ) {
            int space = indexOf(bytes, ' ', at);
            int line = indexOf(bytes, '\n', at);
            if (space < at || line < space) {
                return Optional.empty();
            }
            int length;
            try {
                length = Integer.parseInt(new String(bytes, at, space - at, UTF_8));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
            int from = line + 1;
            if (length < 0 || length >= bytes.length - from || bytes[from + length] != '\n') {
                return Optional.empty();
            }
            texts.add(new PolicyDocument.Text(
                    new String(bytes, space + 1, line - space - 1, UTF_8), new String(bytes, from, length, UTF_8)));
            at = from + length + 1;
        }
        return texts.isEmpty() ? Optional.empty() : Optional.of(List.copyOf(texts));
    }

    private static int indexOf(byte[] bytes, char wanted, int from) {
        for (int at = from; at < bytes.length; at++) {
            if (bytes[at] == wanted) {
                return at;
            }
        }
        return -1;
    }
}
