require 'json'
require 'time'
require 'uri'
require 'openapi_client'

include OpenapiClient

def client_for(base, key)
  configuration = Configuration.new
  address = URI(ENV.fetch(base))
  configuration.scheme, configuration.host = address.scheme, "#{address.host}:#{address.port}"
  configuration.server_index = nil
  configuration.access_token = key
  ApiClient.new(configuration)
end

# What was decoded. The client's own to_hash leaves nulls out of lists, and JSON
# writes times as Ruby prints them.
def plain(value)
  case value
  when Time, DateTime then value.iso8601(6)
  when Array then value.map { |item| plain(item) }
  when Hash then value.transform_values { |item| plain(item) }
  else
    return value unless value.class.respond_to?(:attribute_map)

    value.class.attribute_map.to_h { |ruby, name| [name, plain(value.instance_variable_get("@#{ruby}"))] }
  end
end

def say(name, answer)
  puts "#{name}\t#{JSON.generate(plain(answer))}"
end

def walk(name)
  after = nil
  loop do
    page = yield({ limit: 2, starting_after: after }.compact)
    say(name, page)
    return unless page.meta.has_more

    after = page.meta.next_cursor
  end
end

%w[canonical legacy].each do |mode|
  client = client_for('BASE', ENV.fetch(mode.upcase))
  interviews, synthesis = InterviewsApi.new(client), SynthesisApi.new(client)
  walk("#{mode} interviews") { |q| interviews.list_interviews(q) }
  say("#{mode} interview", interviews.get_interview(interviews.list_interviews(limit: 1).data[0].id))
  walk("#{mode} campaigns") { |q| CampaignsApi.new(client).list_campaigns(q) }
  walk("#{mode} synthesis") { |q| synthesis.list_synthesis(q) }
  walk("#{mode} portal") { |q| synthesis.list_synthesis(q.merge(surface: 'portal')) }
  say("#{mode} analytics", AnalyticsApi.new(client).get_interview_analytics(date_from: '2026-03-01', date_to: '2026-03-31'))
  say("#{mode} search", SearchApi.new(client).search_intelligence('late'))
end

def refused
  yield
rescue ApiError => e
  puts "error #{e.code}\t#{JSON.generate(ErrorResponse.build_from_hash(JSON.parse(e.response_body, symbolize_names: true)).code)}"
end

canonical = InterviewsApi.new(client_for('BASE', ENV.fetch('CANONICAL')))
refused { canonical.list_interviews(date_from: 'yesterday') }
refused { InterviewsApi.new(client_for('BASE', 'cik_wrong')).list_interviews }
refused { InterviewsApi.new(client_for('BASE', ENV.fetch('NARROW'))).list_interviews }
refused { canonical.get_interview('00000000-0000-4000-8000-000000000000') }
refused { InterviewsApi.new(client_for('LIMITED', ENV.fetch('SPENT'))).list_interviews }
refused { InterviewsApi.new(client_for('STUB', 'cik_any')).list_interviews }
refused { CampaignsApi.new(client_for('STUB', 'cik_any')).list_campaigns }
