package io.headgate.server.operators;

import io.headgate.server.cli.Version;
import io.headgate.server.text.Quoted;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code headgate operator token}: prints a new random token, and its entry in the file of operators. */
@Command(
        name = "token",
        description = "Prints a new random token, and the line to add to the file of headgate serve --operators.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "The line has the SHA-256 of the token, so the token itself is nowhere but in this output.",
            "To replace a token, add the line of a new one, distribute it, and remove the old line."
        })
final class OperatorTokenCommand implements Callable<Integer> {

    private static final int BYTES = 32;

    /** Begins each token, so that scanners for leaked secrets find it. */
    private static final String PREFIX = "hgo_";

    @Option(
            names = "--name",
            required = true,
            paramLabel = "NAME",
            converter = NameConverter.class,
            description = "The operator's name in the audit log: " + Operator.EXPECTED + ".")
    private String name = "";

    @Option(
            names = "--role",
            required = true,
            paramLabel = "ROLE",
            converter = RoleConverter.class,
            description =
                    "view reads all but payloads, headers and causes; operate also reads those, and changes queues and bans;"
                            + " admin also changes policies and purges queues.")
    private Role role = Role.VIEW;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        byte[] secret = new byte[BYTES];
        new SecureRandom().nextBytes(secret);
        String token = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        PrintWriter out = spec.commandLine().getOut();
        out.println("The token of " + name + ", which is not stored anywhere:");
        out.println(token);
        out.println("The line to add below \"operators:\" in the file of --operators:");
        out.println("  - {name: \"" + name + "\", role: " + role + ", sha256: "
                + TokenHash.of(token).hex() + "}");
        out.flush();
        return CommandLine.ExitCode.OK;
    }

    static final class NameConverter implements ITypeConverter<String> {
        @Override
        public String convert(String given) {
            if (!Operator.isName(given)) {
                throw new TypeConversionException("must be " + Operator.EXPECTED + ", was " + Quoted.of(given));
            }
            return given;
        }
    }

    static final class RoleConverter implements ITypeConverter<Role> {
        @Override
        public Role convert(String given) {
            return Role.named(given)
                    .orElseThrow(() ->
                            new TypeConversionException("must be " + Role.EXPECTED + ", was " + Quoted.of(given)));
        }
    }
}
