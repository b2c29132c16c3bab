package io.headgate.config.internal.yaml;

import io.headgate.config.ConfigException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/** Describes syntax errors of the YAML parser, each in one line. */
final class YamlSyntax {

    private static final Pattern CAN_START_NOTHING =
            Pattern.compile("found character '(.+?)' that cannot start any token.*", Pattern.DOTALL);

    private YamlSyntax() {}

    /**
     * Returns the exception to throw for an exception of the parser.
     *
     * @param last the last position that was read without an error
     */
    static ConfigException problemOf(RuntimeException thrown, Where last, Problems problems) {
        if (!(thrown instanceof MarkedYamlEngineException marked)) {
            return problems.stop(
                    last,
                    "what follows is not YAML"
                            + (problems.isSecret() ? "" : ": " + Quoted.message(String.valueOf(thrown.getMessage()))));
        }
        Where where = marked.getProblemMark()
                .or(marked::getContextMark)
                .map(mark -> Where.of(mark, last.path()))
                .orElse(last);
        String found = found(marked, problems) + (problems.isSecret() ? "" : context(marked, where));
        return problems.stop(where, "is not YAML: " + found);
    }

    private static String found(MarkedYamlEngineException marked, Problems problems) {
        boolean secret = problems.isSecret();
        String problem = String.valueOf(marked.getProblem());
        Matcher character = CAN_START_NOTHING.matcher(problem);
        if (character.matches()) {
            return character.group(1).startsWith("\\t")
                    ? "a tab can't begin anything here; indent with spaces"
                    : (secret ? "this character" : "'" + character.group(1) + "'")
                            + " can't begin a value; put the value in quotes";
        }
        if (problem.startsWith("mapping values are not allowed")) {
            return "a key can't begin here; check the indentation";
        }
        if (problem.startsWith("expected <block end>")) {
            return "this does not continue what is above; check the indentation";
        }
        if (problem.equals("found unexpected end of stream")) {
            return "the quote is not closed";
        }
        if (problem.startsWith("expected ',' or") && problem.endsWith("but got {")) {
            return problems.isLocal()
                    ? "a value with { must be in quotes here, such as \"${NAME}\""
                    : "put the value in quotes";
        }
        return secret ? "put the value in quotes" : Quoted.message(problem);
    }

    private static String context(MarkedYamlEngineException marked, Where where) {
        Optional<Mark> begin = marked.getContextMark();
        if (marked.getContext() == null || begin.isEmpty()) {
            return "";
        }
        Where began = Where.of(begin.get(), "");
        return began.compareTo(where) == 0
                ? ""
                : " (" + Quoted.message(marked.getContext()) + " that begins at " + began.line() + ":" + began.column()
                        + ")";
    }
}
