package io.headgate.server.http;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An answer that is not a success, as RFC 9457 has it: what kind of problem, and what is the matter this time.
 *
 * @param type a URI that names the kind; {@link #NO_TYPE} when the status says it all
 * @param title the kind in a few words
 * @param status the HTTP status
 * @param detail what is the matter this time, and what would be right
 * @param more members beside these four, in order
 */
public record Problem(String type, String title, int status, String detail, Map<String, Object> more) {

    public static final String MEDIA_TYPE = "application/problem+json";
    static final String NO_TYPE = "about:blank";

    /** The kind that the IETF draft on rate limit fields registers for denials. */
    public static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";

    /** A problem whose status says what kind it is. */
    public static Problem of(int status, String title, String detail) {
        return new Problem(NO_TYPE, title, status, detail, Map.of());
    }

    /** The members of the JSON object. */
    public Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", type);
        members.put("title", title);
        members.put("status", status);
        members.put("detail", detail);
        members.putAll(more);
        return members;
    }
}
