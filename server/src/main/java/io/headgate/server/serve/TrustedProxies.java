package io.headgate.server.serve;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.server.text.Quoted;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The options that find the client's address behind trusted proxies, for the dimension {@code ip} of a check by a proxy. */
final class TrustedProxies {

    @Option(
            names = "--trusted-proxies",
            paramLabel = "LIST",
            converter = OfList.class,
            description =
                    "Proxies whose X-Forwarded-For gives the dimension ip of a check at /check/POLICY: IP addresses and networks such as 10.0.7.0/28, separated by commas, or the number of proxies, from 1 to 16. None by default.")
    private Optional<ClientAddress> trusted = Optional.empty();

    @Option(
            names = "--forwarded-field",
            paramLabel = "FIELD",
            converter = OfField.class,
            description =
                    "With --trusted-proxies: the header field that they append to, X-Forwarded-For or Forwarded; X-Forwarded-For by default.")
    private Optional<Field> field = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    private enum Field {
        X_FORWARDED_FOR,
        FORWARDED
    }

    /**
     * The way to find the client's address in a request; empty if no proxy is trusted.
     *
     * @throws ParameterException if the field is set without proxies
     */
    Optional<ClientAddress> clientAddress() {
        if (trusted.isEmpty() && field.isPresent()) {
            throw new ParameterException(command.commandLine(), "--forwarded-field needs --trusted-proxies");
        }
        return field.equals(Optional.of(Field.FORWARDED)) ? trusted.map(ClientAddress::readingForwarded) : trusted;
    }

    static final class OfList implements ITypeConverter<ClientAddress> {
        @Override
        public ClientAddress convert(String given) {
            try {
                return ClientAddress.parseTrusted(given);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    static final class OfField implements ITypeConverter<Field> {
        @Override
        public Field convert(String given) {
            return switch (given.toLowerCase(Locale.ROOT)) {
                case "x-forwarded-for" -> Field.X_FORWARDED_FOR;
                case "forwarded" -> Field.FORWARDED;
                default -> throw new TypeConversionException(Quoted.of(given) + " is not X-Forwarded-For or Forwarded");
            };
        }
    }
}
