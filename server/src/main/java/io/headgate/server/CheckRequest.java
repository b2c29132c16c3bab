package io.headgate.server;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@code POST /v1/check} is asked, read strictly: an unknown, doubled or mistyped member is an error that names
 * it.
 *
 * @param policy the name of the policy
 * @param attributes what is known of the request; none when the member is absent
 * @param permits how many; 1 when the member is absent
 */
record CheckRequest(String policy, Map<String, String> attributes, long permits) {

    private static final Set<String> MEMBERS = Set.of("policy", "attributes", "permits");
    private static final String EXAMPLE =
            "{\"policy\": \"api\", \"attributes\": {\"user\": \"alice\"}, \"permits\": 1}";

    /**
     * Reads the body.
     *
     * @throws ProblemException with status 400 that says what is wrong, and where
     */
    static CheckRequest parse(byte[] body) {
        JsonNode root = read(body);
        if (!root.isObject()) {
            throw ProblemException.badRequest("the body must be a JSON object such as " + EXAMPLE + ", was "
                    + (body.length == 0 ? "empty" : nameOf(root)));
        }
        root.fieldNames().forEachRemaining(name -> {
            if (!MEMBERS.contains(name)) {
                throw ProblemException.badRequest(
                        "unknown member " + Quoted.of(name) + "; allowed are policy, attributes, permits");
            }
        });
        return new CheckRequest(policyOf(root), attributesOf(root), permitsOf(root));
    }

    private static JsonNode read(byte[] body) {
        try {
            return Json.MAPPER.readTree(body);
        } catch (StreamConstraintsException e) {
            throw ProblemException.badRequest("the JSON is nested deeper than " + Json.MAX_DEPTH
                    + " or has a number that is too long, " + place(e.getLocation()));
        } catch (JsonProcessingException e) {
            throw ProblemException.badRequest("the body is not JSON, " + place(e.getLocation()) + ": " + reason(e));
        } catch (IOException e) {
            throw ProblemException.badRequest("the body is not JSON: it is not UTF-8");
        }
    }

    private static String policyOf(JsonNode root) {
        JsonNode policy = root.get("policy");
        if (policy == null || !policy.isTextual()) {
            throw ProblemException.badRequest("policy must be a string, was " + nameOf(policy));
        }
        return policy.textValue();
    }

    private static Map<String, String> attributesOf(JsonNode root) {
        JsonNode given = root.get("attributes");
        if (given == null) {
            return Map.of();
        }
        if (!given.isObject()) {
            throw ProblemException.badRequest("attributes must be an object of strings, was " + nameOf(given));
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> attribute : given.properties()) {
            if (!attribute.getValue().isTextual()) {
                throw ProblemException.badRequest("attribute " + Quoted.of(attribute.getKey())
                        + " must be a string, was " + nameOf(attribute.getValue()));
            }
            attributes.put(attribute.getKey(), attribute.getValue().textValue());
        }
        return attributes;
    }

    private static long permitsOf(JsonNode root) {
        JsonNode permits = root.get("permits");
        if (permits == null) {
            return 1;
        }
        if (!permits.isIntegralNumber() || !permits.canConvertToLong() || permits.longValue() < 1) {
            throw ProblemException.badRequest("permits must be a whole number from 1 to " + Long.MAX_VALUE + ", was "
                    + (permits.isNumber() ? permits.asText() : nameOf(permits)));
        }
        return permits.longValue();
    }

    private static String nameOf(@Nullable JsonNode node) {
        if (node == null || node.isMissingNode()) {
            return "absent";
        }
        return switch (node.getNodeType()) {
            case ARRAY -> "an array";
            case BOOLEAN -> "a boolean";
            case NULL -> "null";
            case NUMBER -> "a number";
            case OBJECT -> "an object";
            case STRING -> "a string";
            case BINARY, MISSING, POJO -> "something else";
        };
    }

    private static String place(@Nullable JsonLocation at) {
        return at == null ? "place unknown" : "line " + at.getLineNr() + ", column " + at.getColumnNr();
    }

    /** The parser's own reason, without its notes on where the text began. */
    private static String reason(JsonProcessingException e) {
        String reason = e.getOriginalMessage();
        int notes = reason.indexOf(" (start marker");
        return Quoted.of(notes < 0 ? reason : reason.substring(0, notes));
    }
}
