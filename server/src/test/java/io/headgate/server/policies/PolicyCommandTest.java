package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.PolicyFile;
import io.headgate.server.CliRun;
import io.headgate.server.GuideExample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyCommandTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private String write(String file, long permits) throws IOException {
        return write(
                file,
                "policies: { api: { rules: { per-user: { by: user, sliding-window: { permits: " + permits
                        + ", window: 1m } } } } }");
    }

    private String write(String file, String text) throws IOException {
        return Files.writeString(folder.resolve(file), text).toString();
    }

    @Test
    void check_prints_the_version_and_what_each_rule_admits() throws Exception {
        CliRun run = CliRun.of("policy", "check", write("policies.yaml", 100));
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().toList()).hasSize(2).satisfies(lines -> {
            assertThat(lines.get(0)).matches("valid; version [0-9a-f]{12}");
            assertThat(lines.get(1)).isEqualTo("api.per-user: 100 permits in any minute, by user");
        });
    }

    @Test
    void check_prints_json() throws Exception {
        CliRun run = CliRun.of("policy", "check", "--json", write("policies.yaml", 100));
        assertThat(run.out())
                .matches(
                        "\\{\"version\":\"[0-9a-f]{12}\","
                                + "\"rules\":\\{\"api.per-user\":\"100 permits in any minute, by user\"},\"warnings\":\\[]}\\R?");
    }

    @Test
    void check_prints_what_the_guide_shows() throws Exception {
        GuideExample example =
                GuideExample.in(Path.of("../docs/configuration.md")).get(0);
        assertThat(example.command()).isEqualTo("./headgate policy check examples/api.yaml");
        assertThat(CliRun.of("policy", "check", "../examples/api.yaml").out().strip())
                .isEqualTo(example.output());
    }

    @Test
    void check_of_an_invalid_file_lists_its_problems_and_exits_with_2() throws Exception {
        String file = write("policies.yaml", "policies: { api: { rules: { per-user: { sliding-windo: 1 } } } }");
        CliRun run = CliRun.of("policy", "check", file);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains(
                        file
                                + ":1:41: policies.api.rules.per-user.sliding-windo: unknown key; did you mean sliding-window?");
        CliRun missing = CliRun.of("policy", "check", "missing.yaml");
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("missing.yaml: no such file");
    }

    @Test
    void check_rejects_what_serve_rejects() throws Exception {
        String file = write(
                "policies.yaml",
                "policies: { api: { rules: { limit: { by: hold, sliding-window: { permits: 1, window: 1m } } } } }");
        CliRun check = CliRun.of("policy", "check", file);
        CliRun serve = CliRun.of("serve", "--port", "0", "--policies", file);
        assertThat(check.exitCode()).isEqualTo(2);
        assertThat(check.err()).isEqualTo(serve.err());
    }

    @Test
    void diff_prints_each_change() throws Exception {
        CliRun run = CliRun.of("policy", "diff", write("old.yaml", 100), write("new.yaml", 200));
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines())
                .containsExactly("api.per-user: raised from sliding-window 100 per 1m to sliding-window 200 per 1m");
        assertThat(CliRun.of("policy", "diff", write("old.yaml", 100), write("new.yaml", 100))
                        .out()
                        .lines())
                .containsExactly("no changes");
        assertThat(CliRun.of("policy", "diff", "--json", write("old.yaml", 100), write("new.yaml", 99))
                        .out())
                .matches("\\{\"changes\":\\[\\{\"path\":\"api.per-user\",\"kind\":\"lowered\",\"description\":"
                        + "\"from sliding-window 100 per 1m to sliding-window 99 per 1m\"}]}\\R?");
    }

    @Test
    void diff_shows_variables_and_not_their_values() throws Exception {
        String after = write("new.yaml", 100);
        Files.writeString(
                Path.of(after), Files.readString(Path.of(after)).replace("100", "'${NO_SUCH_VARIABLE:-200}'"));
        assertThat(CliRun.of("policy", "diff", write("old.yaml", 100), after).out())
                .contains("raised from ", "permits: \"${NO_SUCH_VARIABLE:-200}\"");
    }

    @Test
    void diff_rejects_a_version_that_a_server_rejects() throws Exception {
        String before = write("old.yaml", 100);
        String after = write("new.yaml", Files.readString(Path.of(before)).replace("by: user", "by: ip"));
        CliRun run = CliRun.of("policy", "diff", before, after);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("a server with the old policies rejects the new ones: "
                        + "the dimensions of rule per-user of policy api can't change");
    }

    @Test
    void check_reads_variables_and_included_files() throws Exception {
        CliRun run = CliRun.of("policy", "check", "../examples/variables.yaml");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().toList()).satisfies(lines -> {
            assertThat(lines.get(0)).matches("valid; version [0-9a-f]{12}\\+[0-9a-f]{6}");
            assertThat(lines.get(1)).isEqualTo("checkout.per-user: 100 permits in any minute, by user");
            assertThat(lines.get(3)).startsWith("partner.calls: ");
        });
    }

    @Test
    void apply_rejects_variables_and_includes_before_it_connects() throws Exception {
        String variable = write(
                "variable.yaml",
                "policies: { api: { rules: { r: { fixed-window: { permits: '${P:-5}', window: 1m } } } } }");
        String include = write("include.yaml", "include: [variable.yaml]");
        CliRun ofVariable =
                CliRun.of("policy", "apply", variable, "--redis", "redis://127.0.0.1:1", "--reason", "test");
        assertThat(ofVariable.exitCode()).isEqualTo(2);
        assertThat(ofVariable.err())
                .contains(variable
                        + ":1:59: policies.api.rules.r.fixed-window.permits: has \"${P:-5}\", but variables are"
                        + " for local files only; write the value, or $${ for the text ${");
        CliRun ofInclude = CliRun.of("policy", "apply", include, "--redis", "redis://127.0.0.1:1", "--reason", "test");
        assertThat(ofInclude.exitCode()).isEqualTo(2);
        assertThat(ofInclude.err()).contains(include + ":1:1: include: includes are for local files only");
    }

    @Test
    void a_command_without_files_names_them() {
        assertThat(CliRun.of("policy").err())
                .contains(
                        "give a command: check, diff, schema, apply, history, show, rollback, status, preview or discard");
        assertThat(CliRun.of("policy", "diff", "one.yaml").exitCode()).isEqualTo(2);
    }

    @Test
    void schema_prints_the_json_schema_of_policy_files() throws Exception {
        CliRun run = CliRun.of("policy", "schema");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith("{").contains("\"policies\":").isEqualTo(PolicyFile.schema());
    }
}
