package io.headgate.redis;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the variables that a section of a Lua file shares with the sections that it is joined with: those that the section uses and does
 * not declare.
 *
 * <p>A name that is declared anywhere in the section counts as local, so a variable is missed if an inner block declares the same name.
 * Written for the style of these files, in which no line of code ends with a comment and no table with named fields contains another.
 */
final class LuaVariables {

    private static final Set<String> KEYWORDS = Set.of(
            ("and break do else elseif end false for function if in local nil not or repeat return then true until while "
                            + "redis string table math struct cmsgpack ARGV KEYS ipairs pairs type tonumber tostring unpack "
                            + "error pcall select RULE RULES")
                    .split(" "));

    private static final Pattern STRING = Pattern.compile("'(?:\\\\.|[^'\\\\])*'");
    private static final Pattern TABLE = Pattern.compile("\\{[^{}]*}");
    private static final Pattern FIELD = Pattern.compile("\\b\\w+ = ");
    private static final Pattern NAME = Pattern.compile("(?<![\\w.:])[A-Za-z_]\\w*");
    private static final Pattern DECLARED = Pattern.compile(
            "\\blocal (?=function (\\w+))|\\blocal ((?:\\w+,\\s*)*\\w+)|\\bfunction ?\\w*\\(([^)]*)\\)|\\bfor ((?:\\w+, )*\\w+) ");

    private LuaVariables() {}

    /** The variables that the section uses and does not declare. */
    static Set<String> shared(String section) {
        String code =
                section.lines().filter(line -> !line.strip().startsWith("--")).collect(Collectors.joining("\n"));
        code = STRING.matcher(code).replaceAll("''");
        code = TABLE.matcher(code)
                .replaceAll(table -> FIELD.matcher(table.group()).replaceAll(""));
        Set<String> shared = names(code).collect(Collectors.toCollection(TreeSet::new));
        DECLARED.matcher(code)
                .results()
                .flatMap(declared -> Stream.of(1, 2, 3, 4).map(declared::group))
                .filter(names -> names != null)
                .flatMap(names -> Arrays.stream(names.split(",\\s*")))
                .forEach(shared::remove);
        shared.removeAll(KEYWORDS);
        return shared;
    }

    private static Stream<String> names(String code) {
        return NAME.matcher(code).results().map(name -> name.group());
    }
}
