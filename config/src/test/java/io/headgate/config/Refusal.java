package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Returns the error messages for policy files that are rejected. The name of the source is {@code p.yaml}. */
final class Refusal {

    private Refusal() {}

    static String of(String yaml) {
        ConfigException thrown = catchThrowableOfType(ConfigException.class, () -> PolicyFile.parse(yaml, "p.yaml"));
        assertThat(thrown).as("the refusal of\n%s", yaml).isNotNull();
        return String.valueOf(thrown.getMessage());
    }

    /**
     * Returns the error for a file whose only rule has these fields, without {@code p.yaml:} and the path of the rule. The fields are in
     * line 2, from column 3.
     */
    static String ofRule(String fields) {
        String yaml = "policies: { a: { rules: { r:\n{ " + fields + " } } } }";
        return of(yaml).replace("p.yaml:", "").replace("policies.a.rules.r", "r");
    }
}
