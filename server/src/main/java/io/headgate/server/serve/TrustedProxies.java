package io.headgate.server.serve;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.server.cli.NumberOption;
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

    @Option(
            names = "--ipv6-prefix",
            paramLabel = "BITS",
            converter = NumberOption.OfPrefix.class,
            description =
                    "With --trusted-proxies: the length of the IPv6 networks that each count as one client, from 1 to 128; 64 by default.")
    private Optional<Integer> ipv6Prefix = Optional.empty();

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
     * @throws ParameterException if the field or the prefix is set without proxies
     */
    Optional<ClientAddress> clientAddress() {
        requireProxies("--forwarded-field", field);
        requireProxies("--ipv6-prefix", ipv6Prefix);
        return trusted.map(address -> field.equals(Optional.of(Field.FORWARDED)) ? address.readingForwarded() : address)
                .map(address -> ipv6Prefix.map(address::withIpv6Prefix).orElse(address));
    }

    private void requireProxies(String option, Optional<?> given) {
        if (trusted.isEmpty() && given.isPresent()) {
            throw new ParameterException(command.commandLine(), option + " needs --trusted-proxies");
        }
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
