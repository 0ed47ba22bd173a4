# An Action Cable server, for puma (Debian: ruby-actioncable, puma):
#
#     puma -b tcp://127.0.0.1:PORT cable.ru
#
# Connections need the query parameter token=t. The channel Chat streams the room in its parameters, and rejects room 13.
# Its action speak broadcasts its text, and flood sends n messages.

require "logger"
require "action_cable"
require "active_support/all"

module ApplicationCable
  class Connection < ActionCable::Connection::Base
    def connect
      reject_unauthorized_connection unless request.params["token"] == "t"
    end
  end
end

class Chat < ActionCable::Channel::Base
  def subscribed
    return reject if params[:room] == 13
    stream_from "chat_#{params[:room]}"
  end

  def speak(data)
    ActionCable.server.broadcast("chat_#{params[:room]}", { text: data["text"] })
  end

  def flood(data)
    data["n"].times { |number| transmit({ i: number }) }
  end
end

config = ActionCable.server.config
config.cable = { "adapter" => "async" }
config.connection_class = -> { ApplicationCable::Connection }
config.disable_request_forgery_protection = true
config.logger = Logger.new($stderr, level: Logger::FATAL)
map("/cable") { run ActionCable.server }
