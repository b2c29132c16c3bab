package io.headgate.http.attributes;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads values of header fields. */
final class HeaderText {

    private static final char LAST_OF_ASCII = 0x7f;
    private static final char LAST_OF_ISO_8859_1 = 0xff;

    private HeaderText() {}

    /**
     * Decodes a value as UTF-8 if it is valid UTF-8 that the server has decoded as ISO-8859-1, as most servers do. Returns other text
     * unchanged.
     */
    static String utf8(String field) {
        boolean ascii = true;
        for (int i = 0; i < field.length(); i++) {
            if (field.charAt(i) > LAST_OF_ISO_8859_1) {
                return field;
            }
            ascii &= field.charAt(i) <= LAST_OF_ASCII;
        }
        if (ascii) {
            return field;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(field.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return field;
        }
    }

    /**
     * Returns the value of the only cookie of that name in the fields, without quotes; absent if there is none, or more than one, or the
     * value is empty or too long.
     */
    static ResolvedValue cookie(List<String> fields, String name, String source) {
        int times = 0;
        String value = "";
        for (String field : fields) {
            int start = 0;
            while (start < field.length()) {
                int semicolon = field.indexOf(';', start);
                int end = semicolon < 0 ? field.length() : semicolon;
                int equals = field.indexOf('=', start);
                if (equals >= 0
                        && equals < end
                        && field.substring(start, equals).strip().equals(name)) {
                    times++;
                    value = unquoted(field.substring(equals + 1, end).strip());
                }
                start = end + 1;
            }
        }
        // Without such a cookie, the value is empty, and so absent.
        return times > 1 ? ResolvedValue.repeated(source, times) : ResolvedValue.of(source, utf8(value));
    }

    private static String unquoted(String value) {
        return value.length() > 1 && value.startsWith("\"") && value.endsWith("\"")
                ? value.substring(1, value.length() - 1)
                : value;
    }
}
