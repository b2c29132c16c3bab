package io.headgate.server.http;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.linecorp.armeria.common.MediaType;
import io.headgate.server.text.Json;
import io.headgate.server.text.Quoted;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The JSON object in the body of a request, read strictly: an unknown, duplicate or mistyped member is an error that names it. */
public final class JsonBody {

    /** The maximum number of digits before and after the point of a decimal, so that arithmetic on it is cheap. */
    private static final int MAX_DIGITS = 1000;

    private static final Pattern PARSER_NOTES = Pattern.compile(
            "(?s)( \\(start marker|: enable `|: maybe a \\(non-standard\\) comment|\\(not recognized).*");

    private final JsonNode root;

    private JsonBody(JsonNode root) {
        this.root = root;
    }

    /**
     * Rejects a body with another content type than JSON.
     *
     * @throws ProblemException with status 415
     */
    public static void requireType(@Nullable MediaType given) {
        if (given == null || !given.is(MediaType.JSON.withoutParameters())) {
            throw ProblemException.unsupportedMediaType("the content type must be application/json, was "
                    + (given == null ? "absent" : Quoted.of(given.toString())));
        }
    }

    /**
     * Reads an object with only these members.
     *
     * @param example a valid body, for the error
     * @throws ProblemException with status 400 that states what is wrong
     */
    public static JsonBody parse(byte[] body, List<String> members, String example) {
        JsonNode root = read(body);
        return of(root, "the body", body.length == 0 ? "empty" : nameOf(root), members, example);
    }

    private static JsonBody of(JsonNode root, String what, String was, List<String> members, String example) {
        if (!root.isObject()) {
            throw ProblemException.badRequest(what + " must be a JSON object such as " + example + ", was " + was);
        }
        root.fieldNames().forEachRemaining(name -> {
            if (!members.contains(name)) {
                throw ProblemException.badRequest(
                        "unknown member " + Quoted.of(name) + "; allowed are " + String.join(", ", members));
            }
        });
        return new JsonBody(root);
    }

    public boolean has(String member) {
        return root.has(member);
    }

    /** A required member that is a string. */
    public String string(String member) {
        JsonNode given = root.get(member);
        if (given == null || !given.isTextual()) {
            throw ProblemException.badRequest(member + " must be a string, was " + nameOf(given));
        }
        return text(member, given.textValue());
    }

    /**
     * Returns the text, or rejects it if it is not valid Unicode: JSON can escape half of a surrogate pair, which UTF-8 cannot encode.
     * In names of members, the parser already rejects it.
     */
    private static String text(String what, String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw ProblemException.badRequest(
                    what + " has half of a surrogate pair, such as \\ud800, which UTF-8 cannot"
                            + " encode; add the other half or remove it");
        }
        return text;
    }

    /** A member that is an object of strings; none when it is absent. */
    public Map<String, String> strings(String member) {
        JsonNode given = root.get(member);
        if (given == null) {
            return Map.of();
        }
        if (!given.isObject()) {
            throw ProblemException.badRequest(member + " must be an object of strings, was " + nameOf(given));
        }
        Map<String, String> strings = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> one : given.properties()) {
            if (!one.getValue().isTextual()) {
                throw ProblemException.badRequest(
                        nameIn(member, one.getKey()) + " must be a string, was " + nameOf(one.getValue()));
            }
            strings.put(
                    one.getKey(),
                    text(nameIn(member, one.getKey()), one.getValue().textValue()));
        }
        return strings;
    }

    /** The name of one string in an object of strings, for example {@code header "source"}. */
    private static String nameIn(String member, String name) {
        return member.substring(0, member.length() - 1) + " " + Quoted.of(name);
    }

    /** The objects of a member that is an array of 1 to {@code most} objects, each with only these members. */
    public List<JsonBody> objects(String member, long most, List<String> members, String example) {
        JsonNode given = root.get(member);
        if (given == null || !given.isArray() || given.isEmpty() || given.size() > most) {
            throw ProblemException.badRequest(member + " must be an array of 1 to " + most + " objects, was "
                    + (given != null && given.isArray() ? "an array of " + given.size() : nameOf(given)));
        }
        List<JsonBody> objects = new ArrayList<>();
        for (JsonNode one : given) {
            objects.add(of(one, "each of " + member, nameOf(one), members, example));
        }
        return objects;
    }

    /** A member that is true or false; false when it is absent. */
    public boolean flag(String member) {
        JsonNode given = root.get(member);
        if (given != null && !given.isBoolean()) {
            throw ProblemException.badRequest(member + " must be true or false, was " + nameOf(given));
        }
        return given != null && given.booleanValue();
    }

    /** A required member that is a number, whole or decimal. */
    public BigDecimal decimal(String member) {
        JsonNode given = root.get(member);
        if (given == null || !given.isNumber()) {
            throw ProblemException.badRequest(member + " must be a number, was " + nameOf(given));
        }
        BigDecimal number = given.decimalValue();
        if (Math.abs((long) number.scale()) > MAX_DIGITS) {
            throw ProblemException.badRequest(member + " must be a number of at most " + MAX_DIGITS
                    + " digits before and after the point, was " + number);
        }
        return number;
    }

    /** A member that is a whole number from 1; 1 when it is absent. */
    public long whole(String member, long max) {
        return whole(member, max, 1);
    }

    /** A member that is a whole number from 1; the default when it is absent. */
    public long whole(String member, long max, long defaultValue) {
        JsonNode given = root.get(member);
        if (given == null) {
            return defaultValue;
        }
        if (!given.isIntegralNumber()
                || !given.canConvertToLong()
                || given.longValue() < 1
                || given.longValue() > max) {
            throw ProblemException.badRequest(member + " must be a whole number from 1 to " + max + ", was "
                    + (given.isNumber() ? given.asText() : nameOf(given)));
        }
        return given.longValue();
    }

    private static JsonNode read(byte[] body) {
        try {
            return Json.MAPPER.readTree(body);
        } catch (StreamConstraintsException e) {
            throw ProblemException.badRequest("the JSON is nested deeper than " + Json.MAX_DEPTH
                    + " or has a number that is too long, " + position(e.getLocation()));
        } catch (JsonProcessingException e) {
            throw ProblemException.badRequest("the body is not JSON, " + position(e.getLocation()) + ": " + reason(e));
        } catch (IOException e) {
            throw ProblemException.badRequest("the body is not JSON: it is not UTF-8");
        }
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

    private static String position(@Nullable JsonLocation at) {
        return at == null ? "place unknown" : "line " + at.getLineNr() + ", column " + at.getColumnNr();
    }

    /** The reason of the parser, without its notes on the position of the text and on settings that a client cannot change. */
    private static String reason(JsonProcessingException e) {
        return Quoted.of(PARSER_NOTES.matcher(e.getOriginalMessage()).replaceFirst(""));
    }
}
