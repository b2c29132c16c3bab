package io.headgate.http.attributes;

/** Finds a parameter in a query, without copying the others. */
final class QueryString {

    private QueryString() {}

    /**
     * Returns the decoded value of the only parameter of that name; absent if there is none, or more than one, or the value is malformed,
     * empty or too long. A semicolon does not separate parameters.
     */
    static ResolvedValue find(String query, String name, String source) {
        int times = 0;
        String value = "";
        int start = 0;
        while (start <= query.length()) {
            int ampersand = query.indexOf('&', start);
            int end = ampersand < 0 ? query.length() : ampersand;
            int nameEnd = UriText.indexOf(query, '=', start, end);
            if (isNamed(query, start, nameEnd, name)) {
                times++;
                value = query.substring(Math.min(nameEnd + 1, end), end);
            }
            start = end + 1;
        }
        if (times > 1) {
            return ResolvedValue.repeated(source, times);
        }
        // Without such a parameter, the value is empty, and so absent.
        return UriText.decoded(value, true)
                .map(decoded -> ResolvedValue.of(source, decoded))
                .orElseGet(() -> ResolvedValue.malformed(source, "UTF-8"));
    }

    private static boolean isNamed(String query, int start, int end, String name) {
        if (end - start == name.length() && query.startsWith(name, start)) {
            return true;
        }
        // An encoded name is at least as long as the name: a plus sign stands for a space, and any other escape is
        // longer.
        if (end - start < name.length() || !hasEscape(query, start, end)) {
            return false;
        }
        return UriText.decoded(query.substring(start, end), true)
                .filter(name::equals)
                .isPresent();
    }

    private static boolean hasEscape(String query, int start, int end) {
        for (int i = start; i < end; i++) {
            if (query.charAt(i) == '%' || query.charAt(i) == '+') {
                return true;
            }
        }
        return false;
    }
}
