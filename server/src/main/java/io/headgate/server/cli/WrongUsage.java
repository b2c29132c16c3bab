package io.headgate.server.cli;

import io.headgate.server.text.Quoted;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints what is wrong with a command line: the value, the nearest valid name, and the allowed values. */
public final class WrongUsage implements IParameterExceptionHandler {

    @Override
    public int handleParseException(ParameterException wrong, String[] arguments) {
        CommandLine command = wrong.getCommandLine();
        String message = unknown(wrong)
                .map(given -> explain(command, given))
                .orElseGet(() -> String.valueOf(wrong.getMessage()));
        command.getErr().println("headgate: " + message);
        command.getErr().println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return CommandLine.ExitCode.USAGE;
    }

    /**
     * The first unknown argument. The message does not contain the arguments after it, because one may be a URL with a password.
     *
     * <p>A misspelled required option is both unknown and missing. Picocli reports it as missing; this method finds the misspelled name.
     */
    private static Optional<String> unknown(ParameterException wrong) {
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            return unmatched.getUnmatched().stream().findFirst();
        }
        if (wrong instanceof MissingParameterException) {
            return wrong.getCommandLine().getUnmatchedArguments().stream().findFirst();
        }
        // The help command reports an unknown command in this way.
        return wrong.getArgSpec() == null ? Optional.ofNullable(wrong.getValue()) : Optional.empty();
    }

    private static String explain(CommandLine command, String given) {
        CommandSpec spec = command.getCommandSpec();
        if (given.startsWith("-")) {
            List<String> options =
                    spec.options().stream().map(option -> option.longestName()).toList();
            return unknown("option", given.replaceFirst("=.*", ""), command, options);
        }
        if (spec.subcommands().isEmpty()) {
            String taken = spec.positionalParameters().stream()
                    .map(PositionalParamSpec::paramLabel)
                    .collect(Collectors.joining(" "));
            return "unknown argument " + Quoted.of(given) + "; " + spec.name() + " takes "
                    + (taken.isEmpty() ? "options only" : taken + " and options");
        }
        return unknown("command", given, command, List.copyOf(spec.subcommands().keySet()));
    }

    private static String unknown(String kind, String given, CommandLine command, List<String> allowed) {
        // Picocli puts the name of the program before the name of a suggested command.
        Optional<String> near = new UnmatchedArgumentException(command, List.of(given))
                .getSuggestions().stream()
                        .map(suggestion -> suggestion.substring(suggestion.lastIndexOf(' ') + 1))
                        .filter(allowed::contains)
                        .findFirst();
        return "unknown " + kind + " " + Quoted.of(given)
                + near.map(meant -> "; did you mean " + meant + "?").orElse(".")
                + " Allowed: " + String.join(", ", allowed);
    }
}
