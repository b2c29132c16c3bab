package io.headgate.server.http;

import com.linecorp.armeria.common.QueryParams;
import io.headgate.server.text.Quoted;
import java.util.List;
import java.util.Optional;

/** The parameters of a request, of which each is allowed and given once. */
public final class Parameters {

    private final QueryParams given;

    private Parameters(QueryParams given) {
        this.given = given;
    }

    /**
     * Checks the names of parameters.
     *
     * @throws ProblemException with status 400 if one is not allowed, or is given twice
     */
    public static Parameters of(QueryParams given, List<String> allowed) {
        for (String name : given.names()) {
            if (!allowed.contains(name)) {
                throw ProblemException.badRequest("unknown parameter " + Quoted.of(name) + "; " + listed(allowed));
            }
            if (given.getAll(name).size() > 1) {
                throw ProblemException.badRequest("parameter " + name + " must be given once");
            }
        }
        return new Parameters(given);
    }

    private static String listed(List<String> allowed) {
        return switch (allowed.size()) {
            case 0 -> "this path has none";
            case 1 -> "allowed is " + allowed.get(0);
            default -> "allowed are " + String.join(", ", allowed);
        };
    }

    /** Returns the value of a parameter; empty if it is not given. */
    public Optional<String> get(String name) {
        return Optional.ofNullable(given.get(name));
    }

    /**
     * Returns the value of a parameter that is a whole number from 1 to a maximum.
     *
     * @param usual the value if it is not given
     * @throws ProblemException with status 400 if it is another value
     */
    public int number(String name, int usual, int max) {
        Optional<String> text = get(name);
        if (text.isEmpty()) {
            return usual;
        }
        try {
            int number = Integer.parseInt(text.get());
            if (number >= 1 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below, as a number out of range.
        }
        throw ProblemException.badRequest(
                name + " must be a whole number from 1 to " + max + ", was " + Quoted.of(text.get()));
    }
}
